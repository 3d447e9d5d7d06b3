/**
 * Pressure: decides whether the node runs out of memory, disk or process IDs.
 *
 *     free ──below a threshold──> under pressure ──above it, for the transition period──> free
 *
 * A pressure lasts for the whole period after it was last seen, so that a node at the edge does not
 * change its mind with every look. What nobody could observe presses on nothing.
 */
import { compareQuantities, quantityFromInteger } from '../../api/quantity.ts';
import type { Room } from '../../api/machine.ts';
import {
  PRESSURE_OF_SIGNAL,
  thresholdAmount,
  type EvictionSignal,
  type EvictionThreshold,
  type Pressure,
} from './eviction-threshold.ts';

/** When each pressure was last seen, by a clock that never runs backward. */
export type PressureMemory = ReadonlyMap<Pressure, number>;

export type Observations = ReadonlyMap<EvictionSignal, Room>;

export function rememberPressure(
  memory: PressureMemory,
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
  nowMs: number,
): PressureMemory {
  const next = new Map(memory);
  for (const threshold of thresholds) {
    const room = observations.get(threshold.signal);
    if (room && isBelow(threshold, room)) next.set(PRESSURE_OF_SIGNAL[threshold.signal], nowMs);
  }
  return next;
}

export function pressuresAt(
  memory: PressureMemory,
  transitionMs: number,
  nowMs: number,
): ReadonlySet<Pressure> {
  // What was seen in this very moment counts, even if the period is zero.
  const isFresh = (seenMs: number): boolean => seenMs === nowMs || nowMs - seenMs < transitionMs;
  const fresh = [...memory].filter(([, seenMs]) => isFresh(seenMs));
  return new Set(fresh.map(([pressure]) => pressure));
}

function isBelow(threshold: EvictionThreshold, { capacity, available }: Room): boolean {
  const amount = thresholdAmount(threshold, capacity);
  return compareQuantities(amount, quantityFromInteger(BigInt(Math.trunc(available)))) > 0;
}
