/** Converts CPU time to seconds, for metrics. */
import type { CpuStats } from '../../ports/runtime/stats.ts';

export function secondsOf({ usageNanoseconds }: CpuStats): number {
  return Number(usageNanoseconds) / 1_000_000_000;
}
