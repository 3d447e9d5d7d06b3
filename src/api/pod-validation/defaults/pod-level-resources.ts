/**
 * Completes pod-level resources that are set only in part.
 *
 *     hugepages limit   the sum of the containers' limits
 *     request           the sum of the containers' requests, or else the pod's own limit
 *
 * Huge pages cannot be overcommitted: their request is always the limit.
 */
import { formatQuantity } from '../../values/quantity-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { aggregateAmounts } from '../containers/aggregate-resources.ts';
import { isHugePages, isOvercommitted, isPodLevel } from '../containers/resource-names.ts';
import { changeObject, withField } from '../../validation/json-changes.ts';
import { readStruct } from '../../validation/json-reading.ts';

export function defaultPodLevelResources(spec: JsonObject): JsonObject {
  return changeObject(spec, 'resources', (resources) => {
    const limits = readStruct(resources['limits']);
    const requests = readStruct(resources['requests']);
    if (isEmpty(limits) && isEmpty(requests)) return resources;
    const limited = defaultLimits(spec, limits, requests);
    const next = limited === limits ? resources : withField(resources, 'limits', limited);
    if (isEmpty(limited)) return next;
    const asked = defaultRequests(spec, limited, requests);
    return asked === requests ? next : withField(next, 'requests', asked);
  });
}

function defaultLimits(spec: JsonObject, limits: JsonObject, requests: JsonObject): JsonObject {
  const missing = [...aggregateAmounts(spec, 'limits')].filter(
    ([name]) => isHugePages(name) && !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name),
  );
  if (missing.length === 0) return limits;
  const amounts = missing.map(([name, amount]) => [name, formatQuantity(amount)]);
  return { ...limits, ...Object.fromEntries(amounts) };
}

function defaultRequests(spec: JsonObject, limits: JsonObject, requests: JsonObject): JsonObject {
  const isMissing = (name: string): boolean => isPodLevel(name) && !Object.hasOwn(requests, name);
  const byContainers = [...aggregateAmounts(spec, 'requests')]
    .filter(([name]) => isMissing(name) && isOvercommitted(name))
    .map(([name, amount]) => [name, formatQuantity(amount)]);
  const byLimits = Object.entries(limits).filter(([name]) => isMissing(name));
  if (byContainers.length === 0 && byLimits.length === 0) return requests;
  // Containers' requests take precedence over the pod's limit.
  return {
    ...requests,
    ...Object.fromEntries(byLimits),
    ...Object.fromEntries(byContainers),
  };
}

function isEmpty(list: JsonObject): boolean {
  return Object.keys(list).length === 0;
}
