/**
 * Eviction thresholds: below which amount of something a node is in trouble.
 *
 *     memory.available: 100Mi      an amount
 *     nodefs.available: 10%        a part of all there is
 *
 * A threshold of 0% or 100% is none, as with the kubelet: that is how one of its defaults is switched
 * off. Percentages are kept as Go's float32 keeps them, because they end up in the node's allocatable
 * storage, and there every byte can be seen.
 */
import { quantityFromInteger, signOfQuantity, type Quantity } from '../../api/quantity.ts';
import { parseQuantity } from '../../api/quantity-text.ts';
import { defineError } from '../../lib/errors.ts';

export type Pressure = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

export type EvictionSignal =
  | 'memory.available'
  | 'nodefs.available'
  | 'nodefs.inodesFree'
  | 'imagefs.available'
  | 'imagefs.inodesFree'
  | 'pid.available';

export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** Either an amount, or a part of the capacity between 0 and 1. */
  readonly value: Quantity | number;
}

export const PRESSURE_OF_SIGNAL: Readonly<Record<EvictionSignal, Pressure>> = {
  'memory.available': 'MemoryPressure',
  'nodefs.available': 'DiskPressure',
  'nodefs.inodesFree': 'DiskPressure',
  'imagefs.available': 'DiskPressure',
  'imagefs.inodesFree': 'DiskPressure',
  'pid.available': 'PIDPressure',
};

const thresholdInvalid = defineError<{ signal: string; text: string; problem: string }>({
  code: 'EVICTION_THRESHOLD_INVALID',
  retry: 'never',
  message: ({ signal, text, problem }) => `eviction threshold ${signal} of "${text}" ${problem}`,
  hint: () =>
    `Write an amount like 100Mi or a part like 10%, for one of ` +
    `${Object.keys(PRESSURE_OF_SIGNAL).join(', ')}.`,
});

export function parseThresholds(
  texts: Readonly<Record<string, string>>,
): readonly EvictionThreshold[] {
  return Object.entries(texts).flatMap(([signal, text]) => {
    if (!isSignal(signal)) {
      throw thresholdInvalid({ signal, text, problem: 'is about a signal that does not exist' });
    }
    if (text === '0%' || text === '100%') return [];
    const value = text.endsWith('%') ? readPart(signal, text) : readAmount(signal, text);
    return [{ signal, value }];
  });
}

/** The amount below which there is trouble. */
export function thresholdAmount({ value }: EvictionThreshold, capacity: number): Quantity {
  if (typeof value !== 'number') return value;
  return quantityFromInteger(BigInt(Math.trunc(capacity * value)), 'BinarySI');
}

function isSignal(signal: string): signal is EvictionSignal {
  return Object.hasOwn(PRESSURE_OF_SIGNAL, signal);
}

function readPart(signal: string, text: string): number {
  const digits = text.slice(0, -1);
  const part = Math.fround(Math.fround(Number(digits)) / 100);
  if (digits.trim() === '' || !(part >= 0 && part <= 1)) {
    throw thresholdInvalid({ signal, text, problem: 'is not between 0% and 100%' });
  }
  return part;
}

function readAmount(signal: string, text: string): Quantity {
  const quantity = amountOrNull(text);
  if (quantity === null) {
    throw thresholdInvalid({ signal, text, problem: 'is neither an amount nor a part' });
  }
  if (signOfQuantity(quantity) <= 0) {
    throw thresholdInvalid({ signal, text, problem: 'is not positive' });
  }
  return quantity;
}

function amountOrNull(text: string): Quantity | null {
  try {
    return parseQuantity(text);
  } catch {
    return null;
  }
}
