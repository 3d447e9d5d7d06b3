/** CPU time as metrics have it. */
import type { CpuStats } from '../../ports/runtime/stats.ts';

export function secondsOf({ usageNanoseconds }: CpuStats): number {
  return Number(usageNanoseconds) / 1_000_000_000;
}
