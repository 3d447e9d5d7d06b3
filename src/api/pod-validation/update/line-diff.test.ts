import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines } from './line-diff.ts';

const ALPHABET = 'a b c d e f g h i j k l m n o p'.split(' ');

describe('a unified diff', () => {
  test('of equal texts is empty', () => {
    expect(diffLines(ALPHABET, ALPHABET)).toBe('');
    expect(diffLines([], [])).toBe('');
  });

  test('shows three lines around a change', () => {
    const changed = ALPHABET.with(7, 'H');
    expect(diffLines(ALPHABET, changed)).toBe('@@ -5,7 +5,7 @@\n e\n f\n g\n-h\n+H\n i\n j\n k\n');
  });

  test('joins near changes and separates far ones', () => {
    const near = ALPHABET.with(5, 'F').with(9, 'J');
    expect(diffLines(ALPHABET, near).match(/@@ /g)).toHaveLength(1);
    const far = ALPHABET.with(2, 'C').with(13, 'N');
    expect(diffLines(ALPHABET, far).match(/@@ -/g)).toHaveLength(2);
  });

  test('counts from one, and omits the length of a single line', () => {
    expect(diffLines(['a'], ['b'])).toBe('@@ -1 +1 @@\n-a\n+b\n');
    expect(diffLines([], ['b'])).toBe('@@ -0,0 +1 @@\n+b\n');
    expect(diffLines(['a', 'b'], [])).toBe('@@ -1,2 +0,0 @@\n-a\n-b\n');
  });

  test('turns the one text into the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        expect(patch(a, diffLines(a, b))).toEqual(b);
      }),
    );
  });
});

/** Applies a unified diff, like patch(1). */
function patch(lines: readonly string[], diff: string): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (header) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      result.push(...lines.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) {
      result.push(line.slice(1));
    } else {
      // A line that is not where the diff says spoils the result.
      if (line.slice(1) !== lines[at]) result.push(`misplaced: ${line}`);
      if (line.startsWith(' ')) result.push(line.slice(1));
      at += 1;
    }
  }
  return [...result, ...lines.slice(at)];
}
