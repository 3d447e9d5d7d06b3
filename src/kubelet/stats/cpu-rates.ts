/**
 * Computes CPU usage in nanocores from two consecutive samples.
 *
 * Runtimes report the total usage since the start, so a rate needs two samples; a sample is taken at each
 * request. If two samples are less than a second apart, the rate would be imprecise, and the previous rate is
 * used.
 */
import type { CpuStats } from '../../ports/runtime/stats.ts';

export interface RatedCpu extends CpuStats {
  /** Absent: there was no earlier sample. */
  readonly nanoCores?: number;
}

interface Known {
  readonly sample: CpuStats;
  readonly nanoCores: number | undefined;
}

const APART_MS_MIN = 1000;
const NANOSECONDS_PER_MS = 1_000_000;

export class CpuRates {
  #known = new Map<string, Known>();

  /** All current samples, by any key. Other keys are forgotten. */
  rate(samples: ReadonlyMap<string, CpuStats>): ReadonlyMap<string, RatedCpu> {
    const next = new Map<string, Known>();
    const rated = new Map<string, RatedCpu>();
    for (const [key, sample] of samples) {
      const known = follow(this.#known.get(key), sample);
      next.set(key, known);
      const { nanoCores } = known;
      rated.set(key, nanoCores === undefined ? sample : { ...sample, nanoCores });
    }
    this.#known = next;
    return rated;
  }
}

function follow(known: Known | undefined, sample: CpuStats): Known {
  if (!known) return { sample, nanoCores: undefined };
  const used = sample.usageNanoseconds - known.sample.usageNanoseconds;
  // The subject was restarted, or the clock was set back, so the samples cannot be compared.
  if (used < 0n || sample.timeMs < known.sample.timeMs) return { sample, nanoCores: undefined };
  const apartMs = sample.timeMs - known.sample.timeMs;
  if (apartMs < APART_MS_MIN) return known;
  return { sample, nanoCores: Math.round((Number(used) / apartMs / NANOSECONDS_PER_MS) * 1e9) };
}
