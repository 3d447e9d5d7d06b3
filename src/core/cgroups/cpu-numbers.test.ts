import { expect, test } from 'vitest';
import { cpuQuotaOf, cpuSharesOf, cpuWeightOf, pageSizeName } from './cpu-numbers.ts';

test('shares stay between what the kernel takes at least and at most', () => {
  expect([0, 1, 250, 1000, 10_000_000].map(cpuSharesOf)).toEqual([2, 2, 256, 1024, 262_144]);
});

test('a quota is at least a millisecond', () => {
  expect(cpuQuotaOf(1, 100_000)).toBe(1000);
  expect(cpuQuotaOf(1500, 100_000)).toBe(150_000);
});

test('weights span the same range as shares', () => {
  expect([2, 256, 1024, 262_144].map(cpuWeightOf)).toEqual([1, 10, 39, 10_000]);
});

test('sizes of pages are named as the kernel names their files', () => {
  expect([65_536, 2_097_152, 2 ** 30].map(pageSizeName)).toEqual(['64KB', '2MB', '1GB']);
});
