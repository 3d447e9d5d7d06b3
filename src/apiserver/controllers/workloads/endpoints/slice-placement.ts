/**
 * Distributes endpoints over EndpointSlices with as few writes as possible.
 *
 *     1. in each existing slice: remove endpoints that are no longer wanted, update those that have changed
 *     2. fill up the slices that are written anyway, the fullest first
 *     3. put the rest into the unchanged slice that is fullest afterwards, or into new slices
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt } from '../../../objects/field-path.ts';
import { endpointKey, isSameEndpoint } from './pod-endpoint.ts';

export const ENDPOINTS_PER_SLICE = 100;

export interface SlicePlacement {
  /** The endpoints of each new slice. */
  readonly create: readonly (readonly JsonObject[])[];
  readonly update: readonly PlacedSlice[];
  readonly remove: readonly JsonObject[];
  /** Slices whose endpoints do not change; labels and hints may. */
  readonly keep: readonly JsonObject[];
}

export interface PlacedSlice {
  readonly slice: JsonObject;
  readonly endpoints: readonly JsonObject[];
}

interface Draft {
  readonly slice: JsonObject;
  readonly endpoints: JsonObject[];
}

export function placeEndpoints(
  existing: readonly JsonObject[],
  wanted: readonly JsonObject[],
): SlicePlacement {
  const left = new Map(wanted.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const update: Draft[] = [];
  const remove: JsonObject[] = [];
  const keep: JsonObject[] = [];
  for (const slice of existing) {
    const { endpoints, isChanged } = takeWanted(slice, left);
    if (!isChanged) keep.push(slice);
    else if (endpoints.length === 0) remove.push(slice);
    else update.push({ slice, endpoints });
  }
  const rest = [...left.values()];
  const fullestFirst = update.toSorted((a, b) => b.endpoints.length - a.endpoints.length);
  for (const { endpoints } of fullestFirst) fill(endpoints, rest);
  const create: JsonObject[][] = [];
  while (rest.length > 0) {
    const best = rest.length < ENDPOINTS_PER_SLICE ? bestToFill(keep, rest.length) : undefined;
    const endpoints = best ? [...objectsAt(best, 'endpoints')] : [];
    fill(endpoints, rest);
    if (!best) create.push(endpoints);
    else {
      keep.splice(keep.indexOf(best), 1);
      update.push({ slice: best, endpoints });
    }
  }
  return { create, update, remove, keep };
}

function takeWanted(slice: JsonObject, left: Map<string, JsonObject>) {
  const found = objectsAt(slice, 'endpoints');
  const endpoints: JsonObject[] = [];
  let isChanged = false;
  for (const old of found) {
    const key = endpointKey(old);
    const endpoint = left.get(key);
    if (!endpoint) continue;
    endpoints.push(endpoint);
    if (!isSameEndpoint(old, endpoint)) isChanged = true;
    left.delete(key);
  }
  return { endpoints, isChanged: isChanged || endpoints.length !== found.length };
}

/** Moves endpoints from `rest` until the slice is full. */
function fill(endpoints: JsonObject[], rest: JsonObject[]): void {
  const capacity = ENDPOINTS_PER_SLICE - endpoints.length;
  if (capacity > 0) endpoints.push(...rest.splice(0, capacity));
}

/** The slice that is closest to full with `count` more endpoints. */
function bestToFill(slices: readonly JsonObject[], count: number): JsonObject | undefined {
  let best: JsonObject | undefined;
  let least = ENDPOINTS_PER_SLICE;
  for (const slice of slices) {
    const free = ENDPOINTS_PER_SLICE - objectsAt(slice, 'endpoints').length - count;
    if (free < 0 || free >= least) continue;
    least = free;
    best = slice;
  }
  return best;
}
