/**
 * Reads the features of this machine's kernel that matter to containers: sizes of huge pages, the cgroup
 * version, AppArmor, whether swap can be limited, and sensors that containers must not read.
 */
import { access, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pageSizeName } from '../../../core/cgroups/cpu-numbers.ts';
import { MASKED_PATHS } from '../../../api/masked-paths.ts';

export interface MachineKernel {
  readonly cgroupVersion: 1 | 2;
  readonly hugePageSizes: readonly string[];
  readonly maskedPaths: readonly string[];
  readonly canLimitSwap: boolean;
  readonly hasAppArmor: boolean;
}

/** `root`: where the kernel's file systems are, `/` except in tests. */
export async function readMachineKernel(root = '/'): Promise<MachineKernel> {
  const at = (...names: readonly string[]): string => path.join(root, ...names);
  const isVersion2 = await exists(at('sys/fs/cgroup/cgroup.controllers'));
  const sizes = await namesIn(at('sys/kernel/mm/hugepages'));
  return {
    cgroupVersion: isVersion2 ? 2 : 1,
    hugePageSizes: sizes.flatMap((name) => {
      const kilobytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
      return kilobytes === undefined ? [] : [pageSizeName(Number(kilobytes) * 1024)];
    }),
    maskedPaths: [...MASKED_PATHS, ...(await thermalSensors(root))],
    canLimitSwap: isVersion2
      ? await ownGroupLimitsSwap(root)
      : await exists(at('sys/fs/cgroup/memory/memory.memsw.limit_in_bytes')),
    hasAppArmor: (
      await readFile(at('sys/module/apparmor/parameters/enabled'), 'utf8').catch(() => '')
    ).startsWith('Y'),
  };
}

/** Hidden, because the temperature of a CPU is a side channel: it reveals what other containers compute. */
async function thermalSensors(root: string): Promise<readonly string[]> {
  const folder = '/sys/devices/system/cpu';
  const cpus = (await namesIn(path.join(root, folder))).filter((name) => /^cpu\d+$/.test(name));
  const sensors = cpus.map((cpu) => path.join(folder, cpu, 'thermal_throttle'));
  const found = await Promise.all(sensors.map((sensor) => exists(path.join(root, sensor))));
  return sensors.filter((_, index) => found[index]);
}

/** The root cgroup has no such file, so podkeep's own cgroup is checked. */
async function ownGroupLimitsSwap(root: string): Promise<boolean> {
  const text = await readFile(path.join(root, 'proc/self/cgroup'), 'utf8').catch(() => '');
  const own = /^0::(.*)$/m.exec(text)?.[1];
  return own !== undefined && exists(path.join(root, 'sys/fs/cgroup', own, 'memory.swap.max'));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch((): string[] => [])).sort();
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
