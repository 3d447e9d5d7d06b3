import { expect, test } from 'vitest';
import type { SeccompProcessor } from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';

const PROCESSORS: readonly SeccompProcessor[] = ['x64', 'arm64', 'riscv64'];

test.each([
  ['read', 0, 63, 63],
  ['getpid', 39, 172, 172],
  ['clone', 56, 220, 220],
  ['unshare', 272, 97, 97],
  ['renameat', 264, 38, undefined],
  ['riscv_flush_icache', undefined, undefined, 259],
  ['arch_prctl', 158, undefined, undefined],
  ['clone3', 435, 435, 435],
  ['listns', 470, 470, 470],
])('%s has the numbers %s, %s and %s', (name, ...numbers) => {
  expect(PROCESSORS.map((processor) => syscallNumbers(processor).get(name))).toEqual(numbers);
});

test.each(PROCESSORS)('%s has no two calls of one number, and none out of reach', (processor) => {
  const numbers = [...syscallNumbers(processor).values()];
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.length).toBeGreaterThan(320);
  expect(Math.max(...numbers)).toBeLessThan(1024);
  expect(Math.min(...numbers)).toBe(0);
});

test('numbers from 424 on are the same everywhere: the kernel gives them out once', () => {
  const newer = PROCESSORS.map((processor) =>
    [...syscallNumbers(processor)].filter(([, number]) => number >= 424),
  );
  expect(newer[1]).toEqual(newer[0]);
  expect(newer[2]).toEqual(newer[0]);
});
