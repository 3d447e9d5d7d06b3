import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';
import { freeBytesAt, UNPACK_LIMITS, UnpackBudget } from './unpack-budget.ts';

const MEBIBYTE = 1024 ** 2;

function budgetOf(...free: readonly number[]): { budget: UnpackBudget; left: number[] } {
  const left = [...free];
  const next = (): Promise<number> => Promise.resolve(left.shift() ?? 0);
  return { budget: new UnpackBudget({ ...UNPACK_LIMITS, reserveBytes: 0 }, next), left };
}

test('the free space is measured once, and then again after each 64 MiB', async () => {
  const { budget, left } = budgetOf(1000 * MEBIBYTE, 900 * MEBIBYTE, 800 * MEBIBYTE);
  for (let count = 0; count < 64; count++) await budget.spend(MEBIBYTE);
  expect(left).toHaveLength(2);
  await budget.spend(1);
  expect(left).toHaveLength(1);
});

test('other processes may have filled the disk meanwhile', async () => {
  const { budget } = budgetOf(1000 * MEBIBYTE, MEBIBYTE);
  await budget.spend(100 * MEBIBYTE);
  await expect(budget.spend(2 * MEBIBYTE)).rejects.toThrow('the disk is too full');
});

test('other processes may have freed space before a file is refused', async () => {
  const { budget, left } = budgetOf(MEBIBYTE, 10 * MEBIBYTE);
  await budget.spend(2);
  await budget.spend(2 * MEBIBYTE);
  expect(left).toEqual([]);
});

test('an empty file takes a block', async () => {
  const { budget } = budgetOf(2 * 4096, 0);
  await budget.spend(0);
  await budget.spend(0);
  await expect(budget.spend(0)).rejects.toThrow('the disk is too full');
});

test('the free space of a disk is measured', async () => {
  expect(await freeBytesAt(makeTempFolder())).toBeGreaterThan(0);
});
