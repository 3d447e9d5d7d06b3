/**
 * Computes a unified diff of two lists of lines.
 *
 * Finds the longest common block, then does the same with the lines before and after it. This is the
 * algorithm of Go's difflib (a port of Python's): another one would be as correct, but the output must be the
 * same as kube-apiserver's.
 */

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** Lines a1 to a2 of the old text became lines b1 to b2 of the new one. */
interface Step {
  readonly isSame: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

interface Range {
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

const CONTEXT_LINES = 3;
/** From this length on, lines that occur very often are not used for alignment. */
const POPULAR_FROM_LINES = 200;

export function diffLines(a: readonly string[], b: readonly string[]): string {
  const groups = groupSteps(stepsOf(matchingBlocks(a, b), a.length, b.length));
  return groups.map((group) => printGroup(group, a, b)).join('');
}

function matchingBlocks(a: readonly string[], b: readonly string[]): readonly Block[] {
  const places = placesOf(b);
  const blocks: Block[] = [];
  const open: Range[] = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  for (let range = open.pop(); range; range = open.pop()) {
    const { a1, a2, b1, b2 } = range;
    const block = longestBlock(a, b, places, range);
    if (block.size === 0) continue;
    blocks.push(block);
    open.push({ a1, a2: block.a, b1, b2: block.b });
    open.push({ a1: block.a + block.size, a2, b1: block.b + block.size, b2 });
  }
  return blocks.sort((one, other) => one.a - other.a);
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  }
  if (lines.length < POPULAR_FROM_LINES) return places;
  const countMax = Math.trunc(lines.length / 100) + 1;
  return new Map([...places].filter(([, indices]) => indices.length <= countMax));
}

/** The earliest of the longest common blocks, extended by equal lines around it. */
function longestBlock(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  { a1, a2, b1, b2 }: Range,
): Block {
  let best: Block = { a: a1, b: b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a: from, b: at, size } = best;
  while (from > a1 && at > b1 && a[from - 1] === b[at - 1]) {
    from -= 1;
    at -= 1;
    size += 1;
  }
  while (from + size < a2 && at + size < b2 && a[from + size] === b[at + size]) size += 1;
  return { a: from, b: at, size };
}

function stepsOf(blocks: readonly Block[], aLength: number, bLength: number): readonly Step[] {
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of [...blocks, { a: aLength, b: bLength, size: 0 }]) {
    if (i < a || j < b) steps.push({ isSame: false, a1: i, a2: a, b1: j, b2: b });
    if (size > 0) steps.push({ isSame: true, a1: a, a2: a + size, b1: b, b2: b + size });
    [i, j] = [a + size, b + size];
  }
  return joinAdjacent(steps);
}

/** Joins equal blocks that are adjacent in both texts. */
function joinAdjacent(steps: readonly Step[]): readonly Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (last?.isSame && step.isSame)
      joined[joined.length - 1] = { ...last, a2: step.a2, b2: step.b2 };
    else joined.push(step);
  }
  return joined;
}

/** Groups changes with their context lines; distant changes are in separate groups. */
function groupSteps(steps: readonly Step[]): readonly (readonly Step[])[] {
  const groups: Step[][] = [];
  let group: Step[] = [];
  for (const [index, step] of steps.entries()) {
    if (!step.isSame) {
      group.push(step);
      continue;
    }
    const [isFirst, isLast] = [index === 0, index === steps.length - 1];
    const length = step.a2 - step.a1;
    if (!isFirst && !isLast && length <= 2 * CONTEXT_LINES) {
      group.push(step);
      continue;
    }
    if (!isFirst) {
      group.push(firstLines(step));
      groups.push(group);
      group = [];
    }
    if (!isLast) group.push(lastLines(step));
  }
  if (group.some(({ isSame }) => !isSame)) groups.push(group);
  return groups;
}

function firstLines(step: Step): Step {
  const count = Math.min(CONTEXT_LINES, step.a2 - step.a1);
  return { ...step, a2: step.a1 + count, b2: step.b1 + count };
}

function lastLines(step: Step): Step {
  const count = Math.min(CONTEXT_LINES, step.a2 - step.a1);
  return { ...step, a1: step.a2 - count, b1: step.b2 - count };
}

function printGroup(group: readonly Step[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return '';
  const header = `@@ -${printRange(first.a1, last.a2)} +${printRange(first.b1, last.b2)} @@\n`;
  const lines = group.flatMap(({ isSame, a1, a2, b1, b2 }) =>
    isSame
      ? a.slice(a1, a2).map((line) => ` ${line}\n`)
      : [
          ...a.slice(a1, a2).map((line) => `-${line}\n`),
          ...b.slice(b1, b2).map((line) => `+${line}\n`),
        ],
  );
  return header + lines.join('');
}

function printRange(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
