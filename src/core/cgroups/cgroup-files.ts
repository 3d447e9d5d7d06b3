/**
 * Converts the limits of a cgroup to the files to write in cgroup v1 or v2, and to properties of a systemd
 * unit.
 */
import { cpuWeightOf } from './cpu-numbers.ts';
import type { CgroupLimits } from './pod-limits.ts';

export type CgroupVersion = 1 | 2;

export interface CgroupFile {
  /** In version 1 each controller has a separate tree. */
  readonly controller: string;
  readonly file: string;
  readonly value: string;
}

const PERIOD_US = 100_000;

/** In the order in which they must be written. */
export function cgroupFiles(limits: CgroupLimits, version: CgroupVersion): readonly CgroupFile[] {
  const { memoryBytes, processes, hugePages = new Map<string, number>() } = limits;
  const isV1 = version === 1;
  return [
    ...(isV1 ? cpuFilesV1(limits) : cpuFilesV2(limits)),
    ...(memoryBytes === undefined ? [] : [memoryFile(memoryBytes, isV1)]),
    ...(processes === undefined ? [] : [fileOf('pids', 'pids.max', processes)]),
    ...[...hugePages].map(([size, bytes]) =>
      fileOf('hugetlb', `hugetlb.${size}.${isV1 ? 'limit_in_bytes' : 'max'}`, bytes),
    ),
  ];
}

function cpuFilesV1({ cpuShares, cpuQuotaUs, cpuPeriodUs }: CgroupLimits): readonly CgroupFile[] {
  return [
    ...(cpuShares === undefined ? [] : [fileOf('cpu', 'cpu.shares', cpuShares)]),
    ...(cpuPeriodUs === undefined ? [] : [fileOf('cpu', 'cpu.cfs_period_us', cpuPeriodUs)]),
    ...(cpuQuotaUs === undefined ? [] : [fileOf('cpu', 'cpu.cfs_quota_us', cpuQuotaUs)]),
  ];
}

function cpuFilesV2({ cpuShares, cpuQuotaUs, cpuPeriodUs }: CgroupLimits): readonly CgroupFile[] {
  const quota = (cpuQuotaUs ?? -1) < 0 ? 'max' : cpuQuotaUs;
  return [
    ...(cpuShares === undefined ? [] : [fileOf('cpu', 'cpu.weight', cpuWeightOf(cpuShares))]),
    ...(cpuQuotaUs === undefined
      ? []
      : [{ controller: 'cpu', file: 'cpu.max', value: `${quota} ${cpuPeriodUs ?? PERIOD_US}` }]),
  ];
}

/** -1: no limit. */
function memoryFile(bytes: number, isV1: boolean): CgroupFile {
  const value = bytes < 0 && !isV1 ? 'max' : String(bytes);
  return { controller: 'memory', file: isV1 ? 'memory.limit_in_bytes' : 'memory.max', value };
}

function fileOf(controller: string, file: string, value: number): CgroupFile {
  return { controller, file, value: String(value) };
}

/** The same limits as properties of a systemd unit; otherwise systemd would overwrite the files. */
export function unitProperties(limits: CgroupLimits, version: CgroupVersion): readonly string[] {
  const { cpuShares, cpuQuotaUs, cpuPeriodUs = PERIOD_US, memoryBytes, processes } = limits;
  const isV1 = version === 1;
  return [
    ...(cpuShares === undefined
      ? []
      : [isV1 ? `CPUShares=${cpuShares}` : `CPUWeight=${cpuWeightOf(cpuShares)}`]),
    ...(cpuQuotaUs === undefined
      ? []
      : cpuQuotaUs < 0
        ? ['CPUQuota=']
        : [`CPUQuota=${percentOf(cpuQuotaUs, cpuPeriodUs)}%`]),
    ...(memoryBytes === undefined ? [] : [`${isV1 ? 'MemoryLimit' : 'MemoryMax'}=${memoryBytes}`]),
    ...(processes === undefined ? [] : [`TasksMax=${processes}`]),
  ];
}

/** systemd counts in hundredths of a percent and rounds down, so this rounds up. */
function percentOf(quotaUs: number, periodUs: number): number {
  return Math.ceil((quotaUs * 10_000) / periodUs) / 100;
}
