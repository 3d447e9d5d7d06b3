/**
 * Computes how long a Job waits before it replaces failed pods: 10 s, doubling up to 10 minutes, reset when a
 * pod succeeds.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { decidePodFailure } from './pod-failure-policy.ts';
import { finishedMs, indexFailuresOf, isJobPodFailed, isJobPodSucceeded } from './job-pod.ts';
import { textAt } from '../../../objects/field-path.ts';

const BACKOFF_MS_MIN = 10_000;
const BACKOFF_MS_MAX = 600_000;

/** 0: no wait. Only pods that still exist count. */
export function backoffMs(pods: readonly JsonObject[], nowMs: number): number {
  const succeeded = pods.filter(isJobPodSucceeded).map(finishedMs);
  const lastSuccessMs = Math.max(0, ...succeeded);
  const failures = pods
    .filter((pod) => textAt(pod, 'status.phase') === 'Failed')
    .map(finishedMs)
    .filter((ms) => ms > lastSuccessMs);
  if (failures.length === 0) return 0;
  const delayMs = Math.min(BACKOFF_MS_MIN * 2 ** (failures.length - 1), BACKOFF_MS_MAX);
  return Math.max(Math.max(...failures) + delayMs - nowMs, 0);
}

/**
 * How often an index has failed: the count on its last pod, plus that pod itself unless its failure is
 * ignored.
 */
export function failuresOfIndex(job: JsonObject, pods: readonly JsonObject[]): number {
  const counts = pods.map((pod) => {
    const isCounted = isJobPodFailed(job, pod) && decidePodFailure(job, pod).action !== 'Ignore';
    return indexFailuresOf(pod) + (isCounted ? 1 : 0);
  });
  return Math.max(0, ...counts);
}
