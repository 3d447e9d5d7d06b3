/**
 * Computes the usage of one ResourceQuota after one write, or the reason for refusing the write.
 *
 * Writes that can raise usage (creating an object, resizing a pod, changing a service or a claim) are refused
 * if not enough is left. All other writes only update the usage: it falls when a pod finishes or an object is
 * deleted.
 */
import {
  addQuantities,
  compareQuantities,
  subtractQuantities,
  signOfQuantity,
  ZERO_QUANTITY,
} from '../../api/values/quantity.ts';
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../objects/field-path.ts';
import { readAmounts } from '../../api/validation/quantities.ts';
import { nameOf } from '../objects/metadata.ts';
import { isPod, type AdmissionRequest } from '../registry/admission.ts';
import { isInScopes } from './resource-quota-scopes.ts';
import {
  countsUnder,
  hasDeadline,
  missingDemand,
  usageOf,
  type QuotaAmounts,
} from './resource-quota-usage.ts';

export type Account =
  | { readonly type: 'unchanged' }
  | { readonly type: 'used'; readonly used: QuotaAmounts }
  | { readonly type: 'refused'; readonly why: string };

const UNCHANGED: Account = { type: 'unchanged' };

export function account(quota: JsonObject, request: AdmissionRequest, nowMs: number): Account {
  const { definition, object, old, verb } = request;
  const hard = readAmounts(valueAt(quota, 'status.hard'));
  const names = [...hard.keys()].filter((name) => countsUnder(definition, name));
  if (names.length === 0) return UNCHANGED;
  const usageIn = (one: JsonObject | null): QuotaAmounts =>
    one && isInScopes(quota, definition, one) ? usageOf(definition, one, nowMs) : new Map();
  const [before, after] = [usageIn(old), verb === 'delete' ? new Map() : usageIn(object)];
  const used = readAmounts(valueAt(quota, 'status.used'));
  const isEvaluated = mayCostMore(request) && isInScopes(quota, definition, object);
  if (isEvaluated) {
    const why = refuse({ quota, request, names, used });
    if (why !== null) return { type: 'refused', why };
  }
  const changes = new Map(
    names.flatMap((name) => {
      const [now, then] = [after.get(name) ?? ZERO_QUANTITY, before.get(name) ?? ZERO_QUANTITY];
      const change = subtractQuantities(now, then);
      return used.has(name) && signOfQuantity(change) !== 0 ? [[name, change] as const] : [];
    }),
  );
  if (changes.size === 0) return UNCHANGED;
  const excess = isEvaluated ? explainExcess(nameOf(quota), changes, used, hard) : null;
  if (excess !== null) return { type: 'refused', why: excess };
  return { type: 'used', used: addChanges(used, changes) };
}

/** Whether the write can raise usage, so that the remaining quota must be checked. */
function mayCostMore({ verb, definition, subresource, object, old }: AdmissionRequest): boolean {
  if (verb === 'delete') return false;
  if (isPod(definition)) {
    if (subresource === 'resize') return true;
    if (subresource !== null) return false;
    return verb === 'create' || (old !== null && hasDeadline(old) !== hasDeadline(object));
  }
  const isVarying =
    definition.group === '' && ['services', 'persistentvolumeclaims'].includes(definition.resource);
  return subresource === null && (verb === 'create' || isVarying);
}

interface QuotaCheck {
  readonly quota: JsonObject;
  readonly request: AdmissionRequest;
  readonly names: readonly string[];
  readonly used: QuotaAmounts;
}

function refuse({ quota, request, names, used }: QuotaCheck): string | null {
  const { definition, object } = request;
  const missing = isPod(definition) ? missingDemand(object, names) : null;
  if (missing !== null) return `failed quota: ${nameOf(quota)}: ${missing}`;
  if (names.every((name) => used.has(name))) return null;
  const unknown = names.toSorted().join(',');
  return `status unknown for quota: ${nameOf(quota)}, resources: ${unknown}`;
}

function explainExcess(
  name: string,
  changes: QuotaAmounts,
  used: QuotaAmounts,
  hard: QuotaAmounts,
): string | null {
  const exceeded = [...changes].filter(([resource, change]) => {
    const sum = addQuantities(used.get(resource) ?? ZERO_QUANTITY, change);
    const most = hard.get(resource) ?? ZERO_QUANTITY;
    return signOfQuantity(change) > 0 && compareQuantities(sum, most) > 0;
  });
  if (exceeded.length === 0) return null;
  const print = (amounts: QuotaAmounts): string =>
    exceeded
      .map(([resource]) => resource)
      .toSorted()
      .map((resource) => `${resource}=${formatQuantity(amounts.get(resource) ?? ZERO_QUANTITY)}`)
      .join(',');
  const words = [`requested: ${print(changes)}`, `used: ${print(used)}`, `limited: ${print(hard)}`];
  return `exceeded quota: ${name}, ${words.join(', ')}`;
}

/** Usage never goes below zero, even if the recorded usage was wrong. */
function addChanges(used: QuotaAmounts, changes: QuotaAmounts): QuotaAmounts {
  return new Map(
    [...used].map(([name, amount]) => {
      const change = changes.get(name);
      if (!change) return [name, amount];
      const sum = addQuantities(amount, change);
      return [name, signOfQuantity(sum) < 0 ? ZERO_QUANTITY : sum];
    }),
  );
}
