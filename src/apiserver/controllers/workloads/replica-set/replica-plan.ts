/**
 * Decides how many pods a ReplicaSet or ReplicationController creates or which it deletes, and computes its
 * status.
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { numberAt, objectsAt, structAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { workloadConditionOf, removeCondition, setCondition } from '../shared/condition-list.ts';
import { isPodAvailable, isPodReady } from '../shared/pod-state.ts';
import { scaleDownOrder } from './scale-down-order.ts';

export interface ReplicaPlan {
  readonly create: number;
  readonly remove: readonly JsonObject[];
}

export interface ReplicaObservation {
  readonly object: JsonObject;
  readonly active: readonly JsonObject[];
  /** The pods of all ReplicaSets with the same owner. */
  readonly related: readonly JsonObject[];
}

/** At most this many pods are created or deleted in one sync. */
const BURST_MAX = 500;
const FAILURE = 'ReplicaFailure';

export function planReplicas(
  { object, active, related }: ReplicaObservation,
  nowMs: number,
): ReplicaPlan {
  if (isBeingDeleted(object)) return { create: 0, remove: [] };
  const missing = numberAt(object, 'spec.replicas') - active.length;
  if (missing >= 0) return { create: Math.min(missing, BURST_MAX), remove: [] };
  const count = Math.min(-missing, BURST_MAX);
  const order = count < active.length ? scaleDownOrder(active, related, nowMs) : active;
  return { create: 0, remove: order.slice(0, count) };
}

export interface ReplicaCounts {
  readonly active: readonly JsonObject[];
  readonly terminating: readonly JsonObject[];
  /** The message of a create or delete that failed in this sync. Null: none failed. */
  readonly failure: string | null;
  /** False for ReplicationControllers, whose status has no terminatingReplicas. */
  readonly countsTerminating: boolean;
}

export function replicaStatus(
  object: JsonObject,
  { active, terminating, failure, countsTerminating }: ReplicaCounts,
  nowMs: number,
): Readonly<Record<string, Json | undefined>> {
  const wanted = numberAt(object, 'spec.replicas');
  const minReady = numberAt(object, 'spec.minReadySeconds');
  const template = Object.entries(structAt(object, 'spec.template.metadata.labels'));
  const isLabeled = (pod: JsonObject): boolean => {
    const labels = labelsOf(pod);
    return template.every(([key, value]) => labels[key] === value);
  };
  return {
    replicas: active.length,
    fullyLabeledReplicas: active.filter(isLabeled).length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, minReady, nowMs)).length,
    ...(countsTerminating && { terminatingReplicas: terminating.length }),
    observedGeneration: numberAt(object, 'metadata.generation'),
    conditions: failureConditions(object, active.length - wanted, failure, nowMs),
  };
}

/** A reported failure does not change until it is resolved. */
function failureConditions(
  object: JsonObject,
  surplus: number,
  failure: string | null,
  nowMs: number,
): readonly JsonObject[] {
  const conditions = objectsAt(object, 'status.conditions');
  if (failure === null) return removeCondition(conditions, FAILURE);
  if (workloadConditionOf(conditions, FAILURE)) return conditions;
  const reason = surplus < 0 ? 'FailedCreate' : surplus > 0 ? 'FailedDelete' : '';
  const condition = { type: FAILURE, status: 'True', reason, message: failure };
  return setCondition(conditions, condition, formatTime(nowMs));
}
