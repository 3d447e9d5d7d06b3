/**
 * Normalizes quantities as the API does: rounded up to thousandths, in canonical form.
 *
 * Less than a thousandth of a core or of a byte cannot be granted, so finer quantities are rounded up on
 * arrival. A canonical quantity stays the same text.
 */
import { divideAwayFromZero, type Quantity } from '../../values/quantity.ts';
import { formatQuantity, readQuantity } from '../../values/quantity-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { changeObject, withField } from '../../validation/json-changes.ts';

const NANOS_PER_MILLI = 1_000_000n;

/** `requirements`: the requests and limits of a container or a pod. */
export function defaultRequirements(requirements: JsonObject): JsonObject {
  const limited = changeObject(requirements, 'limits', defaultResourceList);
  return changeObject(limited, 'requests', defaultResourceList);
}

export function defaultResourceList(list: JsonObject): JsonObject {
  const entries = Object.entries(list);
  const rounded = entries.map(([name, amount]) => [name, roundAmount(amount)] as const);
  const isSame = rounded.every(([, amount], index) => amount === entries[index]?.[1]);
  return isSame ? list : Object.fromEntries(rounded);
}

/** On pods only: a resource with a limit and without a request gets the limit as its request. */
export function defaultRequestsToLimits(container: JsonObject): JsonObject {
  return changeObject(container, 'resources', (resources) => {
    const { limits, requests } = resources;
    if (!isJsonObject(limits)) return resources;
    const asked = isJsonObject(requests) ? requests : {};
    const missing = Object.entries(limits).filter(([name]) => !Object.hasOwn(asked, name));
    if (missing.length === 0) return resources;
    return withField(resources, 'requests', { ...asked, ...Object.fromEntries(missing) });
  });
}

function roundAmount(amount: Json): Json {
  if (typeof amount !== 'string' && typeof amount !== 'number') return amount;
  try {
    return formatQuantity(roundUp(readQuantity(amount)));
  } catch {
    return amount; // the decoder refuses unreadable ones; here they stay as they are
  }
}

function roundUp({ nanos, format }: Quantity): Quantity {
  return { nanos: divideAwayFromZero(nanos, NANOS_PER_MILLI) * NANOS_PER_MILLI, format };
}
