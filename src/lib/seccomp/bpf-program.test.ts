import { describe, expect, test } from 'vitest';
import { runFilter } from '../../../test/support/seccomp/bpf-interpreter.ts';
import { BpfProgram, type Label } from './bpf-program.ts';

/** Returns 1 if the loaded word is 7, otherwise 2. */
function isSeven(program: BpfProgram): Label {
  return program.branch('equal', 7, program.return(1), program.return(2));
}

/** Instructions that no path may come to: returns of values that the tests do not expect. */
function fill(program: BpfProgram, count: number): void {
  for (let written = 0; written < count; written += 1) program.return(1000 + written);
}

function run(program: BpfProgram, entry: Label, number: number): number {
  return runFilter(program.toBytes(entry), { number, architecture: 0, args: [] }).result;
}

/** Around the furthest that a conditional jump goes, and far beyond. */
const DISTANCES = [0, 1, 250, 251, 252, 253, 254, 255, 256, 257, 258, 510, 511, 512, 513, 1000];

describe.each(DISTANCES)('over %s instructions', (distance) => {
  test('both branches reach code', () => {
    const program = new BpfProgram();
    const [first, second] = [isSeven(program), program.and(3, isSeven(program))];
    fill(program, distance);
    const branch = program.branch('greater', 100, program.load(0, first), program.load(0, second));
    const entry = program.load(0, branch);
    expect([run(program, entry, 7), run(program, entry, 103)]).toEqual([2, 2]);
    const direct = program.load(0, program.branch('greater', 6, first, second));
    expect([run(program, direct, 7), run(program, direct, 3), run(program, direct, 8)]).toEqual([
      1, 2, 2,
    ]);
  });

  test('both branches reach returns', () => {
    const program = new BpfProgram();
    const [one, two] = [program.return(1), program.return(2)];
    fill(program, distance);
    const entry = program.load(0, program.branch('equal', 7, one, two));
    expect([run(program, entry, 7), run(program, entry, 8)]).toEqual([1, 2]);
  });

  test('the nearer branch stays in reach when the further one needs a copy of its return', () => {
    const program = new BpfProgram();
    const [further, nearer] = [program.return(1), program.return(2)];
    fill(program, distance);
    const entry = program.load(0, program.branch('equal', 7, nearer, further));
    expect([run(program, entry, 7), run(program, entry, 8)]).toEqual([2, 1]);
  });

  test('a load goes on where it is to', () => {
    const program = new BpfProgram();
    const target = isSeven(program);
    fill(program, distance);
    const entry = program.load(0, target);
    expect([run(program, entry, 7), run(program, entry, 8)]).toEqual([1, 2]);
  });
});

test('a branch with one target is no branch, and what is loaded before a return is not loaded', () => {
  const program = new BpfProgram();
  const end = program.return(5);
  expect(program.branch('equal', 1, end, end)).toBe(end);
  expect(program.load(0, end)).toBe(end);
  expect(program.return(5)).toBe(end);
  expect([...program.toBytes(end)]).toEqual([6, 0, 0, 0, 5, 0, 0, 0]);
});
