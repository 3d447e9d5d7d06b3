/** Determines for controllers whether a pod is active, ready and available. */
import { parseTime } from '../../../../api/values/time.ts';
import { PodkeepError } from '../../../../lib/errors.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';

const MS_PER_SECOND = 1000;

export function isPodDone(pod: JsonObject): boolean {
  const phase = textAt(pod, 'status.phase');
  return phase === 'Succeeded' || phase === 'Failed';
}

export function isPodActive(pod: JsonObject): boolean {
  return !isPodDone(pod) && !isBeingDeleted(pod);
}

/** Whether the pod is being deleted and not finished yet. */
export function isPodTerminating(pod: JsonObject): boolean {
  return !isPodDone(pod) && isBeingDeleted(pod);
}

export function podConditionOf(pod: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(pod, 'status.conditions').find((one) => one['type'] === type);
}

export function isPodReady(pod: JsonObject): boolean {
  return podConditionOf(pod, 'Ready')?.['status'] === 'True';
}

/** 0: the pod is not ready. */
export function podReadySinceMs(pod: JsonObject): number {
  const ready = podConditionOf(pod, 'Ready');
  return ready?.['status'] === 'True' ? timeMs(textOf(ready['lastTransitionTime'])) : 0;
}

export function isPodAvailable(pod: JsonObject, minReadySeconds: number, nowMs: number): boolean {
  return isPodReady(pod) && msUntilAvailable(pod, minReadySeconds, nowMs) <= 0;
}

/** Infinity: the pod is not ready. */
export function msUntilAvailable(pod: JsonObject, minReadySeconds: number, nowMs: number): number {
  if (!isPodReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const sinceMs = podReadySinceMs(pod);
  if (sinceMs === 0) return Number.POSITIVE_INFINITY;
  return sinceMs + minReadySeconds * MS_PER_SECOND - nowMs;
}

/** When the next of the pods becomes available. Null: none is waiting to. */
export function nextAvailabilityMs(
  pods: readonly JsonObject[],
  minReadySeconds: number,
  nowMs: number,
): number | null {
  const waits = pods
    .map((pod) => msUntilAvailable(pod, minReadySeconds, nowMs))
    .filter((ms) => ms > 0 && Number.isFinite(ms));
  return waits.length === 0 ? null : Math.min(...waits);
}

/** An absent or invalid time counts as 0. */
export function timeMs(text: string): number {
  if (text === '') return 0;
  try {
    return parseTime(text).ms;
  } catch (error) {
    if (error instanceof PodkeepError) return 0;
    throw error;
  }
}

export function createdMs(object: JsonObject): number {
  return timeMs(textOf(metadataOf(object)['creationTimestamp']));
}
