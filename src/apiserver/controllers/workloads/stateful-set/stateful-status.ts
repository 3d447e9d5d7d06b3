/** Computes the status of a StatefulSet: counts of its pods, and its current and update revision. */
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { numberAt, textAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { isPodAvailable } from '../shared/pod-state.ts';
import { isRollingSet, isRunningReady, minReadyOf } from './stateful-plan.ts';
import { revisionOf } from './stateful-pod.ts';

export interface StatefulCounts {
  readonly pods: readonly JsonObject[];
  /** Names of ControllerRevisions. */
  readonly current: string;
  readonly update: string;
  readonly collisions: number;
}

/** Fields that are written even if they are zero. */
export const STATEFUL_ZEROS: ReadonlySet<string> = new Set([
  'replicas',
  'availableReplicas',
  'collisionCount',
]);

export function statefulStatus(
  set: JsonObject,
  { pods, current, update, collisions }: StatefulCounts,
  nowMs: number,
): Readonly<Record<string, Json>> {
  const ready = pods.filter(isRunningReady);
  const alive = pods.filter((pod) => textAt(pod, 'status.phase') !== '' && !isBeingDeleted(pod));
  const ofRevision = (name: string): number =>
    alive.filter((pod) => revisionOf(pod) === name).length;
  const counted = {
    observedGeneration: numberAt(set, 'metadata.generation'),
    replicas: pods.filter((pod) => textAt(pod, 'status.phase') !== '').length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, minReadyOf(set), nowMs)).length,
    currentReplicas: ofRevision(current),
    updatedReplicas: ofRevision(update),
    currentRevision: current,
    updateRevision: update,
    collisionCount: collisions,
  };
  return isComplete(set, counted)
    ? { ...counted, currentReplicas: counted.updatedReplicas, currentRevision: update }
    : counted;
}

/**
 * The status of a StatefulSet that is being deleted: it keeps its revision names, because the revisions may
 * already be deleted.
 */
export function endingStatus(
  set: JsonObject,
  pods: readonly JsonObject[],
  nowMs: number,
): Readonly<Record<string, Json>> {
  const counts = {
    pods,
    current: textAt(set, 'status.currentRevision'),
    update: textAt(set, 'status.updateRevision'),
    collisions: numberAt(set, 'status.collisionCount'),
  };
  return statefulStatus(set, counts, nowMs);
}

/** Whether every pod has the new revision and is ready. */
function isComplete(
  set: JsonObject,
  status: Readonly<Record<'updatedReplicas' | 'readyReplicas' | 'replicas', number>>,
): boolean {
  const wanted = numberAt(set, 'spec.replicas');
  const { updatedReplicas, readyReplicas, replicas } = status;
  const isAll = [updatedReplicas, readyReplicas, replicas].every((count) => count === wanted);
  return isRollingSet(set) && isAll;
}

/** The revision that pods below the partition keep: the one in the status, if it still exists. */
export function currentRevisionOf(
  set: JsonObject,
  revisions: readonly JsonObject[],
  update: JsonObject,
): JsonObject {
  const name = textAt(set, 'status.currentRevision');
  if (name === nameOf(update)) return update;
  return revisions.find((one) => nameOf(one) === name) ?? update;
}
