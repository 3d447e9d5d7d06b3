/**
 * Computes the status of a Deployment: counts over its ReplicaSets, and the conditions Available and
 * Progressing.
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { readObjects } from '../../../../api/validation/json-reading.ts';
import { numberAt, objectsAt, valueAt } from '../../../objects/field-path.ts';
import { nameOf, textOf } from '../../../objects/metadata.ts';
import { workloadConditionOf, removeCondition, setCondition } from '../shared/condition-list.ts';
import { timeMs } from '../shared/pod-state.ts';
import { hasProgressDeadline, maxUnavailableOf, replicasOf, sumOf } from './rollout-numbers.ts';

export type DeploymentStatus = Readonly<Record<string, Json | undefined>>;

const PROGRESSING = 'Progressing';
const FAILURE = 'ReplicaFailure';
const TIMED_OUT = 'ProgressDeadlineExceeded';
const MS_PER_SECOND = 1000;

/** `newSet`: undefined: it does not exist yet. `all` includes it. */
export interface Rollout {
  readonly deployment: JsonObject;
  readonly newSet: JsonObject | undefined;
  readonly all: readonly JsonObject[];
}

export function countedStatus({ deployment, newSet, all }: Rollout, nowMs: number) {
  const available = sumOf(all, 'status.availableReplicas');
  const isEnough = available >= replicasOf(deployment) - maxUnavailableOf(deployment);
  const condition = {
    type: 'Available',
    status: isEnough ? 'True' : 'False',
    reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isEnough
      ? 'Deployment has minimum availability.'
      : 'Deployment does not have minimum availability.',
  };
  return {
    observedGeneration: numberAt(deployment, 'metadata.generation'),
    replicas: sumOf(all, 'status.replicas'),
    updatedReplicas: newSet ? numberAt(newSet, 'status.replicas') : 0,
    readyReplicas: sumOf(all, 'status.readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(sumOf(all, 'spec.replicas') - available, 0),
    terminatingReplicas: sumOf(all, 'status.terminatingReplicas'),
    collisionCount: valueAt(deployment, 'status.collisionCount'),
    conditions: withDeploymentCondition(
      objectsAt(deployment, 'status.conditions'),
      condition,
      nowMs,
    ),
  };
}

/** Includes the condition Progressing, from the progress of the rollout. */
export function rolloutStatus(rollout: Rollout, nowMs: number): DeploymentStatus {
  const { deployment, newSet, all } = rollout;
  const status = countedStatus(rollout, nowMs);
  const current = workloadConditionOf(objectsAt(deployment, 'status.conditions'), PROGRESSING);
  const isDone =
    status.replicas === status.updatedReplicas && current?.['reason'] === 'NewReplicaSetAvailable';
  const subject = newSet ? `ReplicaSet "${nameOf(newSet)}"` : `Deployment "${nameOf(deployment)}"`;
  let { conditions } = status;
  if (!hasProgressDeadline(deployment)) conditions = removeCondition(conditions, PROGRESSING);
  else if (!isDone) {
    if (isComplete(deployment, status)) {
      const message = `${subject} has successfully progressed.`;
      conditions = progressing(conditions, 'True', 'NewReplicaSetAvailable', message, nowMs);
    } else if (hasProgressed(deployment, status)) {
      const message = `${subject} is progressing.`;
      const kept = current?.['status'] === 'True' ? current['lastTransitionTime'] : undefined;
      const now = formatTime(nowMs);
      conditions = [
        ...removeCondition(conditions, PROGRESSING),
        {
          type: PROGRESSING,
          status: 'True',
          lastUpdateTime: now,
          lastTransitionTime: kept ?? now,
          reason: 'ReplicaSetUpdated',
          message,
        },
      ];
    } else if (isTimedOut(deployment, status, nowMs)) {
      const message = `${subject} has timed out progressing.`;
      conditions = progressing(conditions, 'False', TIMED_OUT, message, nowMs);
    }
  }
  return { ...status, conditions: withFailure(conditions, newSet, all, nowMs) };
}

export function progressing(
  conditions: readonly JsonObject[],
  status: string,
  reason: string,
  message: string,
  nowMs: number,
): readonly JsonObject[] {
  return withDeploymentCondition(conditions, { type: PROGRESSING, status, reason, message }, nowMs);
}

/** Null: the Deployment was neither just paused nor just resumed. */
export function pauseConditions(deployment: JsonObject, nowMs: number) {
  if (!hasProgressDeadline(deployment)) return null;
  const conditions = objectsAt(deployment, 'status.conditions');
  const reason = workloadConditionOf(conditions, PROGRESSING)?.['reason'];
  if (reason === TIMED_OUT) return null;
  const isPaused = valueAt(deployment, 'spec.paused') === true;
  if (isPaused === (reason === 'DeploymentPaused')) return null;
  return isPaused
    ? progressing(conditions, 'Unknown', 'DeploymentPaused', 'Deployment is paused', nowMs)
    : progressing(conditions, 'Unknown', 'DeploymentResumed', 'Deployment is resumed', nowMs);
}

export function isComplete(deployment: JsonObject, status: DeploymentStatus): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status['updatedReplicas'] ?? 0) === replicas &&
    (status['replicas'] ?? 0) === replicas &&
    (status['availableReplicas'] ?? 0) === replicas &&
    Number(status['observedGeneration'] ?? 0) >= numberAt(deployment, 'metadata.generation')
  );
}

/** When to check the progress deadline. Null: there is nothing to wait for. */
export function deadlineCheckMs(
  deployment: JsonObject,
  status: DeploymentStatus,
  nowMs: number,
): number | null {
  const current = workloadConditionOf(objectsAt(deployment, 'status.conditions'), PROGRESSING);
  if (!hasProgressDeadline(deployment) || !current || current['reason'] === TIMED_OUT) return null;
  if (isComplete(deployment, status)) return null;
  return Math.max(deadlineMs(deployment, current) - nowMs, 0) + MS_PER_SECOND;
}

function deadlineMs(deployment: JsonObject, condition: JsonObject): number {
  const seconds = numberAt(deployment, 'spec.progressDeadlineSeconds');
  return timeMs(textOf(condition['lastUpdateTime'])) + seconds * MS_PER_SECOND;
}

function hasProgressed(deployment: JsonObject, status: DeploymentStatus): boolean {
  const [was, is] = [
    (name: string) => numberAt(deployment, `status.${name}`),
    (name: string) => Number(status[name] ?? 0),
  ];
  const old = (read: (name: string) => number): number =>
    read('replicas') - read('updatedReplicas');
  return (
    is('updatedReplicas') > was('updatedReplicas') ||
    old(is) < old(was) ||
    is('readyReplicas') > was('readyReplicas') ||
    is('availableReplicas') > was('availableReplicas')
  );
}

function isTimedOut(deployment: JsonObject, status: DeploymentStatus, nowMs: number): boolean {
  const current = workloadConditionOf(readObjects(status['conditions']), PROGRESSING);
  if (!current || current['reason'] === 'NewReplicaSetAvailable') return false;
  if (current['reason'] === TIMED_OUT) return true;
  return deadlineMs(deployment, current) < nowMs;
}

/** Copies ReplicaFailure from a ReplicaSet that cannot create pods; the new one takes precedence. */
function withFailure(
  conditions: readonly JsonObject[],
  newSet: JsonObject | undefined,
  all: readonly JsonObject[],
  nowMs: number,
): readonly JsonObject[] {
  const failures = [...(newSet ? [newSet] : []), ...all].flatMap((set) =>
    objectsAt(set, 'status.conditions').filter(({ type }) => type === FAILURE),
  );
  const [first] = failures;
  if (!first) return removeCondition(conditions, FAILURE);
  const { status, reason, message } = first;
  const condition = {
    type: FAILURE,
    status: textOf(status),
    reason: textOf(reason),
    message: textOf(message),
  };
  return withDeploymentCondition(conditions, condition, nowMs);
}

function withDeploymentCondition(
  conditions: readonly JsonObject[],
  condition: Parameters<typeof setCondition>[1],
  nowMs: number,
): readonly JsonObject[] {
  const now = formatTime(nowMs);
  return setCondition(conditions, condition, now, { lastUpdateTime: now });
}
