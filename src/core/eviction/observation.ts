/**
 * Decides which eviction thresholds are met by the observed signals of the node.
 *
 *     available < value                        met
 *     available < value + minimum reclaim      still met, if it was met before
 *
 * A signal that could not be observed meets no threshold. A file system that counts no inodes has a capacity
 * of zero, and is not short of them.
 */
import {
  compareQuantities,
  quantityFromInteger,
  type Quantity,
} from '../../api/values/quantity.ts';
import { formatOf, resourceOf, type EvictionSignal } from './eviction-signal.ts';
import {
  reclaimedAmount,
  thresholdAmount,
  thresholdKey,
  type EvictionThreshold,
} from './eviction-threshold.ts';

export interface Observation {
  readonly available: number;
  readonly capacity: number;
  /** Wall time at which it was measured. Null: not known, and taken for new. */
  readonly atMs: number | null;
}

export type Observations = ReadonlyMap<EvictionSignal, Observation>;

/** The thresholds that are met, regardless of grace periods. */
export function metThresholds(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
): readonly EvictionThreshold[] {
  return thresholds.filter((threshold) => isBelow(threshold, observations, thresholdAmount));
}

/** The thresholds for which not enough was reclaimed yet. */
export function unresolvedThresholds(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
): readonly EvictionThreshold[] {
  return thresholds.filter((threshold) => isBelow(threshold, observations, reclaimedAmount));
}

/** The union of both lists. */
export function mergeThresholds(
  first: readonly EvictionThreshold[],
  second: readonly EvictionThreshold[],
): readonly EvictionThreshold[] {
  const known = new Set(first.map(thresholdKey));
  return [...first, ...second.filter((threshold) => !known.has(thresholdKey(threshold)))];
}

/**
 * The thresholds whose signal was measured again since the last round. A decision on an old measurement would
 * evict a second pod for the usage of the first.
 */
export function updatedThresholds(
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  before: Observations,
): readonly EvictionThreshold[] {
  return thresholds.filter(({ signal }) => {
    const now = observations.get(signal);
    if (!now) return false;
    const last = before.get(signal);
    if (!last || now.atMs === null) return true;
    return last.atMs === null || now.atMs > last.atMs;
  });
}

/** As messages print it. */
export function availableAmount(signal: EvictionSignal, { available }: Observation): Quantity {
  return quantityFromInteger(BigInt(Math.trunc(available)), formatOf(resourceOf(signal)));
}

function isBelow(
  threshold: EvictionThreshold,
  observations: Observations,
  amountOf: (threshold: EvictionThreshold, capacity: number) => Quantity,
): boolean {
  const observed = observations.get(threshold.signal);
  if (!observed) return false;
  const amount = amountOf(threshold, observed.capacity);
  return compareQuantities(amount, availableAmount(threshold.signal, observed)) > 0;
}
