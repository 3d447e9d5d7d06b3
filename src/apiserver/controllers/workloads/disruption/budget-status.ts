/**
 * Computes the status of a PodDisruptionBudget: how many of its pods are healthy, how many must be, and how
 * many may be evicted now.
 *
 * For two minutes, an evicted pod that is not being deleted yet does not count as healthy; after that its
 * eviction counts as failed. A budget without pods allows no disruption, so that its first pods are protected
 * before they are counted.
 */
import { readStruct, readText, type Value } from '../../../../api/validation/json-reading.ts';
import { formatTime } from '../../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { numberAt, objectsAt, structAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { scaledAmount } from '../shared/amounts-of-replicas.ts';
import { setCondition } from '../shared/condition-list.ts';
import { isPodReady, timeMs } from '../shared/pod-state.ts';

/** An evicted pod is expected to be deleted within this time. */
const DELETION_MS_MAX = 2 * 60 * 1000;
const ALLOWED = 'DisruptionAllowed';

export interface BudgetObservation {
  readonly budget: JsonObject;
  readonly pods: readonly JsonObject[];
  /** The sum of the sizes of the pods' controllers. Used only if `needsScale`. */
  readonly expectedScale: number;
}

export interface BudgetDecision {
  readonly status: Readonly<Record<string, Json | undefined>>;
  /** When an eviction counts as failed. Null: no eviction is in progress. */
  readonly recheckMs: number | null;
  /** Evicted pods that should have been deleted and were not. */
  readonly overdue: readonly JsonObject[];
}

export function decideBudget(seen: BudgetObservation, nowMs: number): BudgetDecision {
  const { budget, pods } = seen;
  const { expected, desired } = goalOf(seen);
  const { disrupted, overdue, recheckMs } = disruptedPodsOf(budget, pods, nowMs);
  const healthy = pods.filter(
    (pod) => !isBeingDeleted(pod) && isPodReady(pod) && disrupted[nameOf(pod)] === undefined,
  ).length;
  const allowed = expected > 0 ? Math.max(healthy - desired, 0) : 0;
  const generation = numberAt(budget, 'metadata.generation');
  const status = {
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: disrupted }),
    observedGeneration: generation,
    conditions: conditionsOf(budget, allowed, generation, nowMs),
  };
  return { status, recheckMs, overdue };
}

/** Whether the sizes of the pods' controllers are needed: an absolute minAvailable needs no total. */
export function needsScale(budget: JsonObject): boolean {
  const { minAvailable, maxUnavailable } = structAt(budget, 'spec');
  return isSet(maxUnavailable) || typeof minAvailable === 'string';
}

function goalOf({ budget, pods, expectedScale }: BudgetObservation) {
  const { minAvailable, maxUnavailable } = structAt(budget, 'spec');
  if (isSet(maxUnavailable)) {
    const away = scaledAmount(maxUnavailable, expectedScale, 'up');
    return { expected: expectedScale, desired: Math.max(expectedScale - away, 0) };
  }
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  if (typeof minAvailable === 'string') {
    return { expected: expectedScale, desired: scaledAmount(minAvailable, expectedScale, 'up') };
  }
  return { expected: 0, desired: 0 };
}

function isSet(value: Value): boolean {
  return value !== undefined && value !== null;
}

function disruptedPodsOf(budget: JsonObject, pods: readonly JsonObject[], nowMs: number) {
  const noted = readStruct(structAt(budget, 'status')['disruptedPods']);
  const disrupted: Record<string, Json> = {};
  const overdue: JsonObject[] = [];
  const waitsMs: number[] = [];
  for (const pod of pods) {
    const since = noted[nameOf(pod)];
    if (since === undefined || isBeingDeleted(pod)) continue;
    const leftMs = timeMs(readText(since)) + DELETION_MS_MAX - nowMs;
    if (leftMs < 0) overdue.push(pod);
    else {
      disrupted[nameOf(pod)] = since;
      waitsMs.push(leftMs);
    }
  }
  const recheckMs = waitsMs.length === 0 ? null : Math.min(...waitsMs) + 1;
  return { disrupted, overdue, recheckMs };
}

/** The status of a budget whose pods cannot be counted. */
export function syncFailed(
  conditions: readonly JsonObject[],
  budget: JsonObject,
  message: string,
  nowMs: number,
): readonly JsonObject[] {
  const condition = { type: ALLOWED, status: 'False', reason: 'SyncFailed', message };
  const observedGeneration = numberAt(budget, 'status.observedGeneration');
  return setCondition(conditions, condition, formatTime(nowMs), { observedGeneration });
}

function conditionsOf(
  budget: JsonObject,
  allowed: number,
  observedGeneration: number,
  nowMs: number,
): readonly JsonObject[] {
  const condition = {
    type: ALLOWED,
    status: allowed > 0 ? 'True' : 'False',
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
  const conditions = setCondition(
    objectsAt(budget, 'status.conditions'),
    condition,
    formatTime(nowMs),
  );
  return conditions.map((one) => (one['type'] === ALLOWED ? { ...one, observedGeneration } : one));
}
