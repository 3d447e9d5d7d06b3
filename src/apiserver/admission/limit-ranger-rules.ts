/**
 * Checks one container, pod or PersistentVolumeClaim against a LimitRange: yields a message for each
 * violation.
 *
 *     min      request and limit are at least this much
 *     max      a limit is set, and request and limit are at most this much
 *     ratio    the limit is at most this many times the request
 *
 * The messages are Kubernetes' own, including their double spaces.
 */
import { quantityMilliValue, type Quantity } from '../../api/values/quantity.ts';
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readAmounts } from '../../api/validation/quantities.ts';

export type LimitAmounts = ReadonlyMap<string, Quantity>;

export interface Demand {
  readonly requests: LimitAmounts;
  readonly limits: LimitAmounts;
}

/** `item`: one entry of `spec.limits`. */
export function* checkDemand(item: JsonObject, type: string, demand: Demand): Generator<string> {
  for (const [name, least] of readAmounts(item['min'])) yield* checkMin(name, type, least, demand);
  for (const [name, most] of readAmounts(item['max'])) yield* checkMax(name, type, most, demand);
  for (const [name, ratio] of readAmounts(item['maxLimitRequestRatio'])) {
    yield* checkRatio(name, type, ratio, demand);
  }
}

/** A PersistentVolumeClaim has only requests, which are compared with both bounds. */
export function* checkClaim(
  item: JsonObject,
  type: string,
  requests: LimitAmounts,
): Generator<string> {
  for (const [name, least] of readAmounts(item['min'])) {
    yield* checkMin(name, type, least, { requests, limits: new Map() });
  }
  for (const [name, most] of readAmounts(item['max'])) {
    const start = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
    const request = requests.get(name);
    if (!request) yield `${start}.  No request is specified`;
    else if (isLess(most, request)) yield `${start}, but request is ${formatQuantity(request)}`;
  }
}

function* checkMin(
  name: string,
  type: string,
  least: Quantity,
  { requests, limits }: Demand,
): Generator<string> {
  const start = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!request) yield `${start}.  No request is specified`;
  else if (isLess(request, least)) yield `${start}, but request is ${formatQuantity(request)}`;
  else if (limit && isLess(limit, least)) yield `${start}, but limit is ${formatQuantity(limit)}`;
}

function* checkMax(
  name: string,
  type: string,
  most: Quantity,
  { requests, limits }: Demand,
): Generator<string> {
  const start = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (!limit) yield `${start}.  No limit is specified`;
  else if (isLess(most, limit)) yield `${start}, but limit is ${formatQuantity(limit)}`;
  else if (request && isLess(most, request)) {
    yield `${start}, but request is ${formatQuantity(request)}`;
  }
}

function* checkRatio(
  name: string,
  type: string,
  most: Quantity,
  { requests, limits }: Demand,
): Generator<string> {
  const start = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`;
  const request = Number(milliOf(requests.get(name)));
  const limit = Number(milliOf(limits.get(name)));
  if (request === 0) yield `${start}, but no request is specified or request is 0`;
  else if (limit === 0) yield `${start}, but no limit is specified or limit is 0`;
  else if ((limit / request) * 1000 > Number(milliOf(most))) {
    yield `${start}, but provided ratio is ${(limit / request).toFixed(6)}`;
  }
}

/** LimitRanger compares in thousandths. */
function isLess(a: Quantity, b: Quantity): boolean {
  return milliOf(a) < milliOf(b);
}

function milliOf(quantity: Quantity | undefined): bigint {
  return quantity ? quantityMilliValue(quantity) : 0n;
}
