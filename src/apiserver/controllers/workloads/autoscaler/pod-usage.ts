/** Extracts the usage of one resource by pods from PodMetrics, for all containers or for one. */
import { quantityMilliValue, type Quantity } from '../../../../api/values/quantity.ts';
import { readQuantity } from '../../../../api/values/quantity-text.ts';
import { parseGoDuration } from '../../../../api/values/time-duration.ts';
import { PodkeepError } from '../../../../lib/errors.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { timeMs } from '../shared/pod-state.ts';

export interface PodUsage {
  /** In thousandths of a core or byte. */
  readonly milli: number;
  readonly timeMs: number;
  readonly windowMs: number;
}

export type PodUsages = ReadonlyMap<string, PodUsage>;

/** By pod name. `container`: empty: the sum over all containers. Pods with incomplete metrics are omitted. */
export function podUsages(
  metrics: readonly JsonObject[],
  resource: string,
  container: string,
): PodUsages {
  const usages = new Map<string, PodUsage>();
  for (const one of metrics) {
    const all = objectsAt(one, 'containers');
    const chosen = container === '' ? all : all.filter(({ name }) => name === container);
    const amounts = chosen.map((each) => milliAt(structAt(each, 'usage'), resource));
    if (amounts.length === 0 || amounts.includes(null)) continue;
    const milli = amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
    usages.set(nameOf(one), {
      milli,
      timeMs: timeMs(textAt(one, 'timestamp')),
      windowMs: parseGoDuration(textAt(one, 'window') || '0'),
    });
  }
  return usages;
}

/** Null: the amount is absent or invalid. */
export function milliAt(amounts: JsonObject, resource: string): number | null {
  if (!Object.hasOwn(amounts, resource)) return null;
  const given = amounts[resource];
  if (typeof given !== 'string' && typeof given !== 'number') return null;
  try {
    return toMilli(readQuantity(given));
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}

function toMilli(quantity: Quantity): number {
  return Number(quantityMilliValue(quantity));
}
