import { expect, test } from 'vitest';
import { cgroupFiles, unitProperties } from './cgroup-files.ts';

const LIMITS = {
  cpuShares: 1024,
  cpuQuotaUs: 50_000,
  cpuPeriodUs: 100_000,
  memoryBytes: 1_000_000,
  processes: 100,
  hugePages: new Map([['2MB', 0]]),
};

test('version 1 has a tree for each controller', () => {
  expect(cgroupFiles(LIMITS, 1)).toEqual([
    { controller: 'cpu', file: 'cpu.shares', value: '1024' },
    { controller: 'cpu', file: 'cpu.cfs_period_us', value: '100000' },
    { controller: 'cpu', file: 'cpu.cfs_quota_us', value: '50000' },
    { controller: 'memory', file: 'memory.limit_in_bytes', value: '1000000' },
    { controller: 'pids', file: 'pids.max', value: '100' },
    { controller: 'hugetlb', file: 'hugetlb.2MB.limit_in_bytes', value: '0' },
  ]);
});

test('version 2 has weights, and quota and period in one file', () => {
  expect(cgroupFiles(LIMITS, 2)).toEqual([
    { controller: 'cpu', file: 'cpu.weight', value: '39' },
    { controller: 'cpu', file: 'cpu.max', value: '50000 100000' },
    { controller: 'memory', file: 'memory.max', value: '1000000' },
    { controller: 'pids', file: 'pids.max', value: '100' },
    { controller: 'hugetlb', file: 'hugetlb.2MB.max', value: '0' },
  ]);
  expect(cgroupFiles({ cpuQuotaUs: -1, cpuPeriodUs: 100_000 }, 2)).toEqual([
    { controller: 'cpu', file: 'cpu.max', value: 'max 100000' },
  ]);
});

test('absent limits are not written', () => {
  expect(cgroupFiles({}, 1)).toEqual([]);
  expect(unitProperties({}, 2)).toEqual([]);
});

test('systemd gets the same as properties', () => {
  expect(unitProperties(LIMITS, 2)).toEqual([
    'CPUWeight=39',
    'CPUQuota=50%',
    'MemoryMax=1000000',
    'TasksMax=100',
  ]);
  expect(unitProperties({ cpuQuotaUs: -1, memoryBytes: 5 }, 1)).toEqual([
    'CPUQuota=',
    'MemoryLimit=5',
  ]);
});
