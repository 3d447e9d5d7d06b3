/**
 * Amounts as the API shows them: rounded up to thousandths, in their canonical form.
 *
 * Nobody can grant less than a thousandth of a core or of a byte, so finer amounts are rounded up
 * when they come in. An amount that is in its form already stays the same text.
 */
import { divideAwayFromZero, type Quantity } from '../../../api/quantity.ts';
import { formatQuantity, readQuantity } from '../../../api/quantity-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { changeObject, withField } from '../validation/json-changes.ts';

const NANOS_PER_MILLI = 1_000_000n;

/** The lists of what a container or a pod asks for and is limited to. */
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

/** On pods only: who limits a resource and does not ask for it, asks for all of the limit. */
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
    return amount; // the decoder refuses what cannot be read; here it stays as it is
  }
}

function roundUp({ nanos, format }: Quantity): Quantity {
  return { nanos: divideAwayFromZero(nanos, NANOS_PER_MILLI) * NANOS_PER_MILLI, format };
}
