/**
 * Computes the numbers of a rollout: maxSurge, maxUnavailable, proportions, and the size of the new
 * ReplicaSet.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { scaledAmount } from '../shared/amounts-of-replicas.ts';
import { annotationNumber, MAX_REPLICAS } from './revision.ts';

const MAX_INT32 = 2_147_483_647;

export function replicasOf(object: JsonObject): number {
  return numberAt(object, 'spec.replicas');
}

export function isRolling(deployment: JsonObject): boolean {
  return textAt(deployment, 'spec.strategy.type') === 'RollingUpdate';
}

export function maxSurgeOf(deployment: JsonObject): number {
  if (!isRolling(deployment)) return 0;
  const surge = valueAt(deployment, 'spec.strategy.rollingUpdate.maxSurge');
  return scaledAmount(surge, replicasOf(deployment), 'up');
}

/** At least 1 if maxSurge is 0: otherwise no pod could ever be replaced. */
export function maxUnavailableOf(deployment: JsonObject): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || replicas === 0) return 0;
  const given = valueAt(deployment, 'spec.strategy.rollingUpdate.maxUnavailable');
  const share = scaledAmount(given, replicas, 'down');
  const allowed = share === 0 && maxSurgeOf(deployment) === 0 ? 1 : share;
  return Math.min(allowed, replicas);
}

export function hasProgressDeadline(deployment: JsonObject): boolean {
  const seconds = valueAt(deployment, 'spec.progressDeadlineSeconds');
  return typeof seconds === 'number' && seconds !== MAX_INT32;
}

export function sumOf(sets: readonly JsonObject[], path: string): number {
  return sets.reduce((sum, set) => sum + numberAt(set, path), 0);
}

/** `all` includes the new ReplicaSet, if it exists. */
export function newSetSize(
  deployment: JsonObject,
  all: readonly JsonObject[],
  current: number,
): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment)) return replicas;
  const free = replicas + maxSurgeOf(deployment) - sumOf(all, 'spec.replicas');
  if (free <= 0) return current;
  return current + Math.min(free, replicas - current);
}

/** How many of the replicas to add (or, if negative, to remove) this ReplicaSet gets. */
export function proportionOf(
  set: JsonObject,
  deployment: JsonObject,
  toAdd: number,
  added: number,
): number {
  if (replicasOf(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const share = fractionOf(set, deployment);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fractionOf(set: JsonObject, deployment: JsonObject): number {
  const size = replicasOf(set);
  if (replicasOf(deployment) === 0) return -size;
  const before = annotationNumber(set, MAX_REPLICAS) || numberAt(deployment, 'status.replicas');
  if (before === 0) return 0;
  const after = replicasOf(deployment) + maxSurgeOf(deployment);
  return Math.round((size * after) / before) - size;
}
