import { expect, test } from 'vitest';
import { raisedLimits, settledLimits } from './raised-limits.ts';

const CURRENT = { cpuQuotaUs: 50_000, memoryBytes: 1000 };

test('only what grows is written before a resize', () => {
  const wanted = { cpuShares: 2, cpuQuotaUs: 100_000, cpuPeriodUs: 100_000, memoryBytes: 500 };
  expect(raisedLimits(wanted, CURRENT)).toEqual({ cpuQuotaUs: 100_000, cpuPeriodUs: 100_000 });
});

test('a removed limit is the largest of all', () => {
  expect(raisedLimits({ cpuShares: 2 }, CURRENT)).toEqual({ cpuQuotaUs: -1, memoryBytes: -1 });
  expect(settledLimits({ cpuShares: 2 })).toEqual({
    cpuShares: 2,
    cpuQuotaUs: -1,
    memoryBytes: -1,
  });
});

test('where there is no limit, nothing has to be raised', () => {
  const none = { cpuQuotaUs: null, memoryBytes: null };
  expect(raisedLimits({ cpuQuotaUs: 1000, memoryBytes: 5 }, none)).toEqual({});
});
