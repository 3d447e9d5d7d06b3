/**
 * An eviction threshold: the amount of a signal below which the node is under pressure.
 *
 *     memory.available: 100Mi      an amount
 *     nodefs.available: 10%        a part of the capacity
 *
 *     hard   the kubelet evicts immediately, with a grace period of one second
 *     soft   the kubelet evicts when the signal was below the threshold for the threshold's grace period
 *
 * Percentages have the precision of Go's float32: the node's allocatable storage is computed from them, and
 * must be equal, to the byte, to what Kubernetes' kubelet computes.
 */
import { addQuantities, quantityFromInteger, type Quantity } from '../../api/values/quantity.ts';
import type { EvictionSignal } from './eviction-signal.ts';

/** Either an amount, or a part of the capacity between 0 and 1. */
export type ThresholdValue = Quantity | number;

export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  readonly value: ThresholdValue;
  /** How long the signal must have been below; 0: a hard threshold. */
  readonly graceMs: number;
  /** How much above the value the signal must rise until the threshold is no longer met. Null: nothing. */
  readonly minReclaim: ThresholdValue | null;
}

export function isHardThreshold({ graceMs }: EvictionThreshold): boolean {
  return graceMs === 0;
}

/** Equal for two thresholds with the same signal, value and grace period, whatever their minimum reclaim is. */
export function thresholdKey({ signal, value, graceMs }: EvictionThreshold): string {
  return JSON.stringify([signal, typeof value === 'number' ? value : `${value.nanos}`, graceMs]);
}

/** The amount below which the node is under pressure. */
export function thresholdAmount(
  { value }: Pick<EvictionThreshold, 'value'>,
  capacity: number,
): Quantity {
  if (typeof value !== 'number') return value;
  return quantityFromInteger(BigInt(Math.trunc(capacity * value)), 'BinarySI');
}

/** The amount at which a threshold that was met is met no longer. */
export function reclaimedAmount(threshold: EvictionThreshold, capacity: number): Quantity {
  const amount = thresholdAmount(threshold, capacity);
  const { minReclaim } = threshold;
  if (minReclaim === null) return amount;
  return addQuantities(amount, thresholdAmount({ value: minReclaim }, capacity));
}
