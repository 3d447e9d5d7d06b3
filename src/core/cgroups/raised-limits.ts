/**
 * Computes the limits of a pod's cgroup while its containers are resized one by one: the larger of the old
 * and the new limits. Otherwise a container that has grown would hit the pod's old limit, and a container
 * that has not shrunk yet would hit the new limit.
 */
import type { CgroupLimits } from './pod-limits.ts';

const NO_LIMIT = -1;

/** The limits that the cgroup has now. Null: no limit. */
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
