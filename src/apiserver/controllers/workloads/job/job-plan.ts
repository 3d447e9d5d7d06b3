/**
 * Decides what a Job does next: its status, and the actions once that status is stored.
 *
 *     running ──> the outcome is certain: SuccessCriteriaMet or FailureTarget, active pods are deleted
 *             ──> all pods have finished and are counted: Complete or Failed
 *     suspended ─ active pods are deleted and do not count as failed
 */
import { formatTime } from '../../../../api/values/time.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { numberAt, objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { textOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { scaleDownOrder } from '../replica-set/scale-down-order.ts';
import { workloadConditionOf } from '../shared/condition-list.ts';
import { isPodActive, isPodReady, isPodTerminating, timeMs } from '../shared/pod-state.ts';
import { printIndexes } from './index-set.ts';
import { indexOf, isIndexed, isTracked, replacesFailedOnly } from './job-pod.ts';
import { backoffMs, failuresOfIndex } from './job-backoff.ts';
import { msToDeadline, outcomeOf, type JobOutcome } from './job-outcome.ts';
import { countJob, type JobCounts } from './job-tracking.ts';

export interface JobPlan {
  readonly status: Readonly<Record<string, Json | undefined>>;
  /** Finished pods that are counted, so that their finalizer can be removed. */
  readonly untrack: readonly JsonObject[];
  /** Pods to delete without counting them as failed. */
  readonly withdraw: readonly JsonObject[];
  /** Pods to delete because the Job has ended; they count as failed. */
  readonly end: readonly JsonObject[];
  readonly create: readonly NewJobPod[];
  readonly requeueMs: number | null;
}

export interface NewJobPod {
  /** Null: the Job is not indexed. */
  readonly index: number | null;
  readonly failures: number;
}

const MS_PER_SECOND = 1000;
const CREATED_MAX = 500;

export function isJobFinished(job: JsonObject): boolean {
  return objectsAt(job, 'status.conditions').some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** When the Job is deleted. Null: it has no TTL. */
export function expiryMs(job: JsonObject): number | null {
  const ttl = valueAt(job, 'spec.ttlSecondsAfterFinished');
  if (typeof ttl !== 'number' || !isJobFinished(job)) return null;
  const conditions = objectsAt(job, 'status.conditions');
  const last = conditions.find(({ type }) => type === 'Complete' || type === 'Failed');
  return timeMs(textOf(last?.['lastTransitionTime'])) + ttl * MS_PER_SECOND;
}

export function planJob(job: JsonObject, pods: readonly JsonObject[], nowMs: number): JobPlan {
  const counts = countJob(job, pods);
  const active = pods.filter(isPodActive);
  const terminating = pods.filter(isPodTerminating);
  const isSuspended = valueAt(job, 'spec.suspend') === true;
  const announced = announcedOutcome(job);
  const outcome = announced ?? outcomeOf(job, counts, active, nowMs);
  const isOver =
    outcome !== null &&
    active.length + terminating.length === 0 &&
    !pods.some(isTracked) &&
    counts.uncountedFailed.length + counts.uncountedSucceeded.length === 0 &&
    announced !== null;
  const conditions = conditionsAfter(job, outcome, isOver, isSuspended, nowMs);
  const status = statusOf(job, { counts, active, terminating, conditions, outcome, isOver }, nowMs);
  const base = { status, untrack: counts.accounted, withdraw: [], end: [], create: [] };
  if (isBeingDeleted(job)) return { ...base, requeueMs: null };
  if (outcome) return { ...base, end: active, requeueMs: null };
  if (isSuspended) return { ...base, withdraw: active, requeueMs: null };
  return { ...base, ...planPods(job, pods, counts, nowMs) };
}

function planPods(
  job: JsonObject,
  pods: readonly JsonObject[],
  counts: JobCounts,
  nowMs: number,
): Pick<JobPlan, 'withdraw' | 'create' | 'requeueMs'> {
  const active = pods.filter(isPodActive);
  const deadlineMs = msToDeadline(job, nowMs);
  const wanted = wantedActive(job, counts, active.length);
  if (active.length > wanted) {
    const surplus = scaleDownOrder(active, active, nowMs).slice(0, active.length - wanted);
    return { withdraw: surplus, create: [], requeueMs: finite(deadlineMs) };
  }
  const held = replacesFailedOnly(job) ? pods.filter(isPodTerminating) : [];
  const missing = Math.min(wanted - active.length - held.length, CREATED_MAX);
  if (missing <= 0) return { withdraw: [], create: [], requeueMs: finite(deadlineMs) };
  if (!isIndexed(job)) {
    const waitMs = backoffMs(pods, nowMs);
    const create = Array.from({ length: waitMs > 0 ? 0 : missing }, () => ({
      index: null,
      failures: 0,
    }));
    return { withdraw: [], create, requeueMs: finite(waitMs > 0 ? waitMs : deadlineMs) };
  }
  return { withdraw: [], ...planIndexes(job, pods, counts, [...active, ...held], missing, nowMs) };
}

function planIndexes(
  job: JsonObject,
  pods: readonly JsonObject[],
  counts: JobCounts,
  busyPods: readonly JsonObject[],
  missing: number,
  nowMs: number,
): Pick<JobPlan, 'create' | 'requeueMs'> {
  const busy = new Set(busyPods.map(indexOf));
  const perIndex = typeof valueAt(job, 'spec.backoffLimitPerIndex') === 'number';
  const waits = [msToDeadline(job, nowMs)];
  const common = perIndex ? 0 : backoffMs(pods, nowMs);
  const create: NewJobPod[] = [];
  const completions = numberAt(job, 'spec.completions');
  for (let index = 0; index < completions && create.length < missing; index++) {
    const isTaken = busy.has(index) || counts.completedIndexes.has(index);
    if (isTaken || counts.failedIndexes.has(index)) continue;
    const own = perIndex ? pods.filter((pod) => indexOf(pod) === index) : [];
    const waitMs = perIndex ? backoffMs(own, nowMs) : common;
    if (waitMs > 0) waits.push(waitMs);
    else create.push({ index, failures: perIndex ? failuresOfIndex(job, own) : 0 });
  }
  return { create, requeueMs: finite(Math.min(...waits)) };
}

function finite(ms: number): number | null {
  return Number.isFinite(ms) ? Math.max(ms, 0) : null;
}

function wantedActive(job: JsonObject, counts: JobCounts, active: number): number {
  const parallelism = numberAt(job, 'spec.parallelism');
  const completions = valueAt(job, 'spec.completions');
  const succeeded = counts.succeeded + counts.uncountedSucceeded.length;
  if (typeof completions !== 'number') {
    return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
  }
  const left = completions - succeeded - counts.failedIndexes.size;
  return Math.max(Math.min(parallelism, left), 0);
}

/** The outcome in the condition SuccessCriteriaMet or FailureTarget. Null: neither is set. */
function announcedOutcome(job: JsonObject): JobOutcome | null {
  const conditions = objectsAt(job, 'status.conditions');
  for (const type of ['SuccessCriteriaMet', 'FailureTarget']) {
    const found = workloadConditionOf(conditions, type);
    if (found?.['status'] !== 'True') continue;
    const isSuccess = type === 'SuccessCriteriaMet';
    return { isSuccess, reason: textOf(found['reason']), message: textOf(found['message']) };
  }
  return null;
}

interface JobView {
  readonly counts: JobCounts;
  readonly active: readonly JsonObject[];
  readonly terminating: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
  readonly outcome: JobOutcome | null;
  readonly isOver: boolean;
}

function statusOf(
  job: JsonObject,
  { counts, active, terminating, conditions, outcome, isOver }: JobView,
  nowMs: number,
): JobPlan['status'] {
  const isSuspended = valueAt(job, 'spec.suspend') === true;
  const started = textAt(job, 'status.startTime');
  const wasSuspended =
    workloadConditionOf(objectsAt(job, 'status.conditions'), 'Suspended')?.['status'] === 'True';
  const isResumed = wasSuspended && !isSuspended;
  const startTime =
    isSuspended && !outcome ? undefined : started === '' || isResumed ? formatTime(nowMs) : started;
  const { uncountedSucceeded: succeeded, uncountedFailed: failed } = counts;
  return {
    conditions,
    startTime,
    ...(isOver && outcome?.isSuccess && { completionTime: formatTime(nowMs) }),
    active: active.length,
    ready: active.filter(isPodReady).length,
    terminating: terminating.length,
    succeeded: counts.succeeded,
    failed: counts.failed,
    completedIndexes: isIndexed(job) ? printIndexes(counts.completedIndexes) : undefined,
    failedIndexes:
      typeof valueAt(job, 'spec.backoffLimitPerIndex') === 'number'
        ? printIndexes(counts.failedIndexes)
        : undefined,
    uncountedTerminatedPods: {
      ...(succeeded.length > 0 && { succeeded }),
      ...(failed.length > 0 && { failed }),
    },
  };
}

function conditionsAfter(
  job: JsonObject,
  outcome: JobOutcome | null,
  isOver: boolean,
  isSuspended: boolean,
  nowMs: number,
): readonly JsonObject[] {
  const before = objectsAt(job, 'status.conditions');
  if (outcome) {
    const { isSuccess, reason, message } = outcome;
    const target = isSuccess ? 'SuccessCriteriaMet' : 'FailureTarget';
    const announced = ensure(before, target, 'True', reason, message, nowMs);
    if (!isOver) return announced;
    return ensure(announced, isSuccess ? 'Complete' : 'Failed', 'True', reason, message, nowMs);
  }
  if (isSuspended)
    return ensure(before, 'Suspended', 'True', 'JobSuspended', 'Job suspended', nowMs);
  if (!workloadConditionOf(before, 'Suspended')) return before;
  return ensure(before, 'Suspended', 'False', 'JobResumed', 'Job resumed', nowMs);
}

function ensure(
  conditions: readonly JsonObject[],
  type: string,
  status: string,
  reason: string,
  message: string,
  nowMs: number,
): readonly JsonObject[] {
  const found = workloadConditionOf(conditions, type);
  if (found?.['status'] === status) return conditions;
  const now = formatTime(nowMs);
  const condition = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  return found
    ? conditions.map((one) => (one === found ? condition : one))
    : [...conditions, condition];
}
