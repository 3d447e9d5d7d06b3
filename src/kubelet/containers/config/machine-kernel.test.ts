import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MASKED_PATHS } from '../../../api/masked-paths.ts';
import { readMachineKernel } from './machine-kernel.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-kernel-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function write(file: string, text = ''): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

test('a machine without any of these files has no features', async () => {
  expect(await readMachineKernel(root)).toEqual({
    cgroupVersion: 1,
    hugePageSizes: [],
    maskedPaths: MASKED_PATHS,
    canLimitSwap: false,
    hasAppArmor: false,
  });
});

test('one with cgroups of version 2, huge pages and warm CPUs', async () => {
  await write('sys/fs/cgroup/cgroup.controllers', 'cpu memory');
  await write('proc/self/cgroup', '0::/system.slice/podkeep.service\n');
  await write('sys/fs/cgroup/system.slice/podkeep.service/memory.swap.max', 'max');
  await write('sys/module/apparmor/parameters/enabled', 'Y\n');
  await write('sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages');
  await write('sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages');
  await write('sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count');
  expect(await readMachineKernel(root)).toEqual({
    cgroupVersion: 2,
    hugePageSizes: ['1GB', '2MB'],
    maskedPaths: [...MASKED_PATHS, '/sys/devices/system/cpu/cpu1/thermal_throttle'],
    canLimitSwap: true,
    hasAppArmor: true,
  });
});

test('one with cgroups of version 1 that count swap', async () => {
  await write('sys/fs/cgroup/memory/memory.memsw.limit_in_bytes');
  expect(await readMachineKernel(root)).toMatchObject({ cgroupVersion: 1, canLimitSwap: true });
});
