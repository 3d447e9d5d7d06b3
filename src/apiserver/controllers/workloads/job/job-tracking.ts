/**
 * Counts finished pods of a Job exactly once, even across restarts.
 *
 *     finished pod with finalizer ──> its UID in `uncountedTerminatedPods` (or its index in `completedIndexes`)
 *     UID is written ───────────────> the finalizer is removed from the pod
 *     pod without finalizer, or gone > one write removes the UID and increases the counter
 *
 * Each arrow is one write, and each state determines the next step. So a process that is killed between two
 * writes neither misses a pod nor counts it twice.
 */
import { readTexts } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { numberAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { parseIndexes } from './index-set.ts';
import {
  indexFailuresOf,
  indexOf,
  isIndexed,
  isJobPodFailed,
  isJobPodSucceeded,
  isTracked,
} from './job-pod.ts';
import { decidePodFailure } from './pod-failure-policy.ts';

export interface JobCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncountedSucceeded: readonly string[];
  readonly uncountedFailed: readonly string[];
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The message of a failure policy rule that fails the whole Job. Null: there is none. */
  readonly failJob: string | null;
  /** Finished pods that are counted: their finalizer can be removed once the status is stored. */
  readonly accounted: readonly JsonObject[];
}

const UNCOUNTED_MAX = 500;

export function countJob(job: JsonObject, pods: readonly JsonObject[]): JobCounts {
  const tracked = new Set(pods.filter(isTracked).map(uidOf));
  const before = {
    succeeded: readTexts(valueAt(job, 'status.uncountedTerminatedPods.succeeded')),
    failed: readTexts(valueAt(job, 'status.uncountedTerminatedPods.failed')),
  };
  const stillTracked = (uid: string): boolean => tracked.has(uid);
  const uncounted = {
    succeeded: before.succeeded.filter(stillTracked),
    failed: before.failed.filter(stillTracked),
  };
  const indexed = isIndexed(job);
  const completed = new Set(parseIndexes(textAt(job, 'status.completedIndexes')));
  const failedIndexes = new Set(parseIndexes(textAt(job, 'status.failedIndexes')));
  const accounted: JsonObject[] = [];
  let failJob: string | null = null;
  for (const pod of pods) {
    const uid = uidOf(pod);
    if (!tracked.has(uid)) continue;
    if (isJobPodSucceeded(pod)) {
      if (indexed) completed.add(indexOf(pod));
      else if (!uncounted.succeeded.includes(uid)) {
        if (isFull(uncounted)) continue;
        uncounted.succeeded.push(uid);
      }
      accounted.push(pod);
    } else if (isJobPodFailed(job, pod) || isAbandoned(job, pod)) {
      if (isFull(uncounted) && !uncounted.failed.includes(uid)) continue;
      accounted.push(pod);
      if (uncounted.failed.includes(uid)) continue;
      const { action, message } = decidePodFailure(job, pod);
      if (action === 'Ignore') continue;
      if (action === 'FailJob') failJob ??= message;
      if (isIndexLost(job, pod, action === 'FailIndex')) failedIndexes.add(indexOf(pod));
      uncounted.failed.push(uid);
    }
  }
  return {
    succeeded: indexed
      ? completed.size
      : numberAt(job, 'status.succeeded') + before.succeeded.filter((u) => !stillTracked(u)).length,
    failed: numberAt(job, 'status.failed') + before.failed.filter((u) => !stillTracked(u)).length,
    uncountedSucceeded: uncounted.succeeded,
    uncountedFailed: uncounted.failed,
    completedIndexes: completed,
    failedIndexes,
    failJob,
    accounted,
  };
}

/** Whether more pods must wait until some are counted, because the status has a limited size. */
function isFull({ succeeded, failed }: { succeeded: string[]; failed: string[] }): boolean {
  return succeeded.length + failed.length >= UNCOUNTED_MAX;
}

/** Whether the pod is being deleted together with its Job, so that no result is needed. */
function isAbandoned(job: JsonObject, pod: JsonObject): boolean {
  return isBeingDeleted(job) && isBeingDeleted(pod);
}

function isIndexLost(job: JsonObject, pod: JsonObject, isFailIndex: boolean): boolean {
  const limit = valueAt(job, 'spec.backoffLimitPerIndex');
  if (!isIndexed(job) || typeof limit !== 'number') return false;
  return isFailIndex || indexFailuresOf(pod) >= limit;
}
