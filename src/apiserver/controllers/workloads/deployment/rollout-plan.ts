/**
 * Decides which ReplicaSets of a Deployment are resized in one step of a rollout.
 *
 *     rolling    the new one is scaled up within maxSurge; then old ones are scaled down, unhealthy pods
 *                first, as long as enough pods are available
 *     recreate   all old ones are scaled to 0; when no old pod runs any more, the new one gets all replicas
 *     scaling    the Deployment was scaled, or is paused: every active ReplicaSet gets
 *                its share
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import {
  annotationNumber,
  annotationsOf,
  byCreation,
  compareNumbers,
  DESIRED_REPLICAS,
  revisionNumber,
} from './revision.ts';
import {
  isRolling,
  maxSurgeOf,
  maxUnavailableOf,
  newSetSize,
  proportionOf,
  replicasOf,
  sumOf,
} from './rollout-numbers.ts';

export interface Resize {
  readonly set: JsonObject;
  readonly replicas: number;
}

export function isActiveSet(set: JsonObject): boolean {
  return replicasOf(set) > 0;
}

/** Whether the Deployment's size has changed since its ReplicaSets were last resized. */
export function isScaling(deployment: JsonObject, all: readonly JsonObject[]): boolean {
  return all.filter(isActiveSet).some((set) => {
    const isNoted = annotationsOf(set)[DESIRED_REPLICAS] !== undefined;
    return isNoted && annotationNumber(set, DESIRED_REPLICAS) !== replicasOf(deployment);
  });
}

export function planRolling(
  deployment: JsonObject,
  newSet: JsonObject,
  old: readonly JsonObject[],
): readonly Resize[] {
  const wanted = replicasOf(deployment);
  const current = replicasOf(newSet);
  if (current > wanted) return [{ set: newSet, replicas: wanted }];
  const replicas = newSetSize(deployment, [...old, newSet], current);
  if (replicas !== current) return [{ set: newSet, replicas }];
  return planOldSets(deployment, newSet, old.filter(isActiveSet));
}

function planOldSets(
  deployment: JsonObject,
  newSet: JsonObject,
  old: readonly JsonObject[],
): readonly Resize[] {
  const needed = replicasOf(deployment) - maxUnavailableOf(deployment);
  const newUnavailable = replicasOf(newSet) - numberAt(newSet, 'status.availableReplicas');
  const spare = sumOf([...old, newSet], 'spec.replicas') - needed - newUnavailable;
  if (old.length === 0 || spare <= 0) return [];
  const sizes = new Map<JsonObject, number>();
  const sizeOf = (set: JsonObject): number => sizes.get(set) ?? replicasOf(set);
  const ordered = old.toSorted(byCreation);
  let left = spare;
  for (const set of ordered) {
    const unhealthy = replicasOf(set) - numberAt(set, 'status.availableReplicas');
    const count = Math.min(left, Math.max(unhealthy, 0));
    if (count > 0) sizes.set(set, replicasOf(set) - count);
    left -= count;
  }
  let surplus = sumOf([...old, newSet], 'status.availableReplicas') - needed;
  for (const set of ordered) {
    const count = Math.min(sizeOf(set), Math.max(surplus, 0));
    if (count > 0) sizes.set(set, sizeOf(set) - count);
    surplus -= count;
  }
  return [...sizes].map(([set, replicas]) => ({ set, replicas }));
}

/** For a Deployment that is paused or being scaled. `newSet`: undefined: it does not exist yet. */
export function planScaling(
  deployment: JsonObject,
  newSet: JsonObject | undefined,
  old: readonly JsonObject[],
): readonly Resize[] {
  const all = [...old, ...(newSet ? [newSet] : [])];
  const active = all.filter(isActiveSet);
  const newest = newSet ?? old.toSorted(byCreation).at(-1);
  const only = active.length === 0 ? newest : active.length === 1 ? active[0] : undefined;
  if (active.length <= 1) return only ? [{ set: only, replicas: replicasOf(deployment) }] : [];
  if (newSet && isSaturated(deployment, newSet)) {
    return old.filter(isActiveSet).map((set) => ({ set, replicas: 0 }));
  }
  return isRolling(deployment) ? planProportions(deployment, active) : [];
}

/** Whether the new ReplicaSet has all replicas and all of them are available. */
function isSaturated(deployment: JsonObject, newSet: JsonObject): boolean {
  const wanted = replicasOf(deployment);
  return (
    replicasOf(newSet) === wanted &&
    annotationNumber(newSet, DESIRED_REPLICAS) === wanted &&
    numberAt(newSet, 'status.availableReplicas') === wanted
  );
}

function planProportions(deployment: JsonObject, active: readonly JsonObject[]): readonly Resize[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sumOf(active, 'spec.replicas');
  // Larger ReplicaSets first; of equal ones the newer first when scaling up, the older first when scaling
  // down.
  const ordered = active.toSorted(
    (a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)),
  );
  let added = 0;
  const shares = ordered.map((set) => {
    const share = proportionOf(set, deployment, toAdd, added);
    added += share;
    return replicasOf(set) + share;
  });
  return ordered.map((set, index) => {
    const leftover = index === 0 ? toAdd - added : 0;
    return { set, replicas: Math.max((shares[index] ?? 0) + leftover, 0) };
  });
}

export function planRecreate(old: readonly JsonObject[]): readonly Resize[] {
  return old.filter(isActiveSet).map((set) => ({ set, replicas: 0 }));
}

/**
 * Old ReplicaSets beyond the history limit, the oldest revision first; only those that are settled and empty.
 */
export function planCleanup(old: readonly JsonObject[], limit: number): readonly JsonObject[] {
  const surplus = old.length - limit;
  if (surplus <= 0) return [];
  return old
    .toSorted(
      (a, b) =>
        compareNumbers(revisionNumber(a), revisionNumber(b)) || (nameOf(a) < nameOf(b) ? -1 : 1),
    )
    .slice(0, surplus)
    .filter(
      (set) =>
        !isActiveSet(set) &&
        numberAt(set, 'status.replicas') === 0 &&
        numberAt(set, 'metadata.generation') <= numberAt(set, 'status.observedGeneration'),
    );
}
