/**
 * Applies the two periods of the eviction manager, and orders thresholds by priority.
 *
 *     grace period        a threshold acts when it was met without a break for its grace period
 *     transition period   a pressure lasts for this long after it was last observed, so that a node at
 *                         its threshold does not flap
 */
import { isHardThreshold, thresholdKey, type EvictionThreshold } from './eviction-threshold.ts';
import { PRESSURES, pressureOf, type Pressure } from './eviction-signal.ts';

/** When each threshold was first met, by its key and a monotonic clock. */
export type FirstObserved = ReadonlyMap<string, number>;

/** When each pressure was last observed, by a monotonic clock. */
export type LastObserved = ReadonlyMap<Pressure, number>;

/** A threshold that is not met any more is forgotten: its period begins again. */
export function firstObserved(
  met: readonly EvictionThreshold[],
  before: FirstObserved,
  nowMs: number,
): FirstObserved {
  return new Map(
    met.map((threshold) => {
      const key = thresholdKey(threshold);
      return [key, before.get(key) ?? nowMs];
    }),
  );
}

export function pastGracePeriod(
  met: readonly EvictionThreshold[],
  observed: FirstObserved,
  nowMs: number,
): readonly EvictionThreshold[] {
  return met.filter((threshold) => {
    const sinceMs = observed.get(thresholdKey(threshold)) ?? nowMs;
    return nowMs - sinceMs >= threshold.graceMs;
  });
}

export function lastObserved(
  met: readonly EvictionThreshold[],
  before: LastObserved,
  nowMs: number,
): LastObserved {
  const now = met.map(({ signal }) => [pressureOf(signal), nowMs] as const);
  return new Map([...before, ...now]);
}

/** In the order of the node's conditions. A pressure that is observed now counts, whatever the period. */
export function pressuresAt(
  observed: LastObserved,
  transitionMs: number,
  nowMs: number,
): readonly Pressure[] {
  return PRESSURES.filter((pressure) => {
    const seenMs = observed.get(pressure);
    return seenMs !== undefined && (seenMs === nowMs || nowMs - seenMs < transitionMs);
  });
}

/**
 * The threshold to act on first: memory before everything else, because without memory nothing else can be
 * reclaimed, and hard thresholds before soft ones. Otherwise the order of the configuration counts; in the
 * kubelet it is random.
 */
export function byEvictionPriority(
  thresholds: readonly EvictionThreshold[],
): readonly EvictionThreshold[] {
  const rank = (threshold: EvictionThreshold): number =>
    (pressureOf(threshold.signal) === 'MemoryPressure' ? 0 : 2) +
    (isHardThreshold(threshold) ? 0 : 1);
  return thresholds.toSorted((a, b) => rank(a) - rank(b));
}
