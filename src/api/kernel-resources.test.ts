import { expect, test } from 'vitest';
import { resourcesOfKernel } from './kernel-resources.ts';

test('shares, quota and bytes are read as requests and limits', () => {
  const numbers = { cpuShares: 61, cpuQuota: 20_000, cpuPeriod: 100_000 };
  expect(resourcesOfKernel({ ...numbers, memoryLimitBytes: 96 * 1024 ** 2 })).toEqual({
    cpuRequest: '60m',
    cpuLimit: '200m',
    memoryLimit: '96Mi',
  });
});

test('an absent limit is left out', () => {
  expect(resourcesOfKernel({})).toEqual({});
  expect(resourcesOfKernel({ cpuShares: 2, cpuQuota: -1, cpuPeriod: 100_000 })).toEqual({
    cpuRequest: '2m',
  });
});
