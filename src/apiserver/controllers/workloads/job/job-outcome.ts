/**
 * Decides whether a Job has succeeded or failed, with reason and message, for the condition SuccessCriteriaMet
 * or FailureTarget. Both are set before the pods have terminated.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { restartsOf } from '../shared/pod-control.ts';
import { timeMs } from '../shared/pod-state.ts';
import { parseIndexes } from './index-set.ts';
import { isIndexed } from './job-pod.ts';
import type { JobCounts } from './job-tracking.ts';

export interface JobOutcome {
  readonly isSuccess: boolean;
  readonly reason: string;
  readonly message: string;
}

const MS_PER_SECOND = 1000;

/** Null: the Job continues. */
export function outcomeOf(
  job: JsonObject,
  counts: JobCounts,
  active: readonly JsonObject[],
  nowMs: number,
): JobOutcome | null {
  if (counts.failJob !== null) return failure('PodFailurePolicy', counts.failJob);
  const rule = successRule(job, counts);
  if (rule !== null) return success('SuccessPolicy', `Matched rules at index ${rule}`);
  if (isBackoffExceeded(job, counts, active)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (msToDeadline(job, nowMs) <= 0) {
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  return indexOutcome(job, counts) ?? completion(job, counts, active);
}

/** Infinity: there is no deadline. */
export function msToDeadline(job: JsonObject, nowMs: number): number {
  const seconds = valueAt(job, 'spec.activeDeadlineSeconds');
  const startMs = timeMs(textAt(job, 'status.startTime'));
  const isSuspended = valueAt(job, 'spec.suspend') === true;
  if (typeof seconds !== 'number' || startMs === 0 || isSuspended) return Number.POSITIVE_INFINITY;
  return startMs + seconds * MS_PER_SECOND - nowMs;
}

function isBackoffExceeded(
  job: JsonObject,
  counts: JobCounts,
  active: readonly JsonObject[],
): boolean {
  const limit = numberAt(job, 'spec.backoffLimit');
  if (counts.failed + counts.uncountedFailed.length > limit) return true;
  if (textAt(job, 'spec.template.spec.restartPolicy') !== 'OnFailure') return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** The first rule of the success policy that is met. Null: none is. */
function successRule(job: JsonObject, { completedIndexes }: JobCounts): number | null {
  const rules = objectsAt(job, 'spec.successPolicy.rules');
  if (completedIndexes.size === 0) return null;
  const found = rules.findIndex((rule) => {
    const indexes = textAt(rule, 'succeededIndexes');
    const count = valueAt(rule, 'succeededCount');
    if (indexes === '') return typeof count === 'number' && completedIndexes.size >= count;
    const required = parseIndexes(indexes);
    const done = [...required].filter((index) => completedIndexes.has(index)).length;
    return done >= (typeof count === 'number' ? count : required.size);
  });
  return found === -1 ? null : found;
}

function indexOutcome(job: JsonObject, counts: JobCounts): JobOutcome | null {
  if (!isIndexed(job) || counts.failedIndexes.size === 0) return null;
  const failedMax = valueAt(job, 'spec.maxFailedIndexes');
  if (typeof failedMax === 'number' && counts.failedIndexes.size > failedMax) {
    const message = 'Job has exceeded the specified maximal number of failed indexes';
    return failure('MaxFailedIndexesExceeded', message);
  }
  const over = counts.failedIndexes.size + counts.completedIndexes.size;
  if (over < numberAt(job, 'spec.completions')) return null;
  return failure('FailedIndexes', 'Job has failed indexes');
}

function completion(
  job: JsonObject,
  counts: JobCounts,
  active: readonly JsonObject[],
): JobOutcome | null {
  const completions = valueAt(job, 'spec.completions');
  const succeeded = counts.succeeded + counts.uncountedSucceeded.length;
  const isDone =
    typeof completions === 'number'
      ? succeeded >= completions
      : succeeded > 0 && active.length === 0;
  if (!isDone) return null;
  return success('CompletionsReached', 'Reached expected number of succeeded pods');
}

function failure(reason: string, message: string): JobOutcome {
  return { isSuccess: false, reason, message };
}

function success(reason: string, message: string): JobOutcome {
  return { isSuccess: true, reason, message };
}
