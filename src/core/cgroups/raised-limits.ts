/**
 * The limits of a pod's cgroup while its containers are resized one by one: the larger of the old and
 * the new ones. Otherwise a container that grows would hit the old limit of its pod, and one that has
 * not shrunk yet the new one.
 */
import type { CgroupLimits } from './pod-limits.ts';

const NO_LIMIT = -1;

/** `current`: null is no limit. */
export interface CurrentLimits {
  readonly cpuQuotaUs: number | null;
  readonly memoryBytes: number | null;
}

/** Shares limit nothing: they are written at the end of the resize. */
export function raisedLimits(wanted: CgroupLimits, current: CurrentLimits): CgroupLimits {
  const { cpuQuotaUs, cpuPeriodUs, memoryBytes } = wanted;
  const raisesQuota =
    current.cpuQuotaUs !== null && isMore(cpuQuotaUs ?? NO_LIMIT, current.cpuQuotaUs);
  const raisesMemory =
    current.memoryBytes !== null && isMore(memoryBytes ?? NO_LIMIT, current.memoryBytes);
  return {
    ...(raisesQuota && {
      cpuQuotaUs: cpuQuotaUs ?? NO_LIMIT,
      ...(cpuPeriodUs !== undefined && { cpuPeriodUs }),
    }),
    ...(raisesMemory && { memoryBytes: memoryBytes ?? NO_LIMIT }),
  };
}

/** A removed limit must be written as "no limit", not just left out. */
export function settledLimits(wanted: CgroupLimits): CgroupLimits {
  return { cpuQuotaUs: NO_LIMIT, memoryBytes: NO_LIMIT, ...wanted };
}

function isMore(wanted: number, current: number): boolean {
  return wanted === NO_LIMIT || wanted > current;
}
