/**
 * Merges the status in the API with the status that podkeep computed; the result is written (SM-80 to SM-86).
 *
 * Several components write a pod's status. Conditions of other components and claim statuses stay as the API
 * has them. Podkeep's own conditions and everything else come from podkeep. DisruptionTarget is taken from
 * podkeep only when podkeep ends the pod.
 *
 * Invariants:
 *   1. No foreign condition of the API is lost or changed.
 *   2. While containers could run, a pod that was not terminal does not become terminal, and keeps its reason
 *      and message.
 *   3. A terminal pod is never Ready.
 *   4. Merging again changes nothing (V-8).
 */
import {
  findCondition,
  isConditionTrue,
  replaceOrAppendCondition,
  withTransitionTime,
} from '../../api/condition.ts';
import type { Pod, PodCondition, PodStatus } from '../../api/pod.ts';
import type { Time } from '../../api/meta.ts';
import { CONTAINERS_READY, isOwned, isShared, READY } from './condition-ownership.ts';
import { isTerminalPhase } from '../pod/pod-facts.ts';
import { terminalReadiness } from './ready-conditions.ts';

export interface StatusMerge {
  readonly pod: Pod;
  /** The status in the API. */
  readonly old: PodStatus;
  /** The status that podkeep computed. */
  readonly status: PodStatus;
  readonly couldHaveRunningContainers: boolean;
  readonly now: Time;
}

export function mergeStatus(merge: StatusMerge): PodStatus {
  const { old, status, couldHaveRunningContainers } = merge;
  const isEnding = !isTerminalPhase(old.phase) && isTerminalPhase(status.phase);
  const ends = isEnding && !couldHaveRunningContainers;

  const conditions = mergeConditions(merge, ends);
  const spoken = isEnding && couldHaveRunningContainers ? old : status;
  const merged: PodStatus = {
    ...pickOthers(status),
    ...pick(spoken, 'phase', 'reason', 'message'),
    ...pick(
      old,
      'resourceClaimStatuses',
      'extendedResourceClaimStatus',
      'nodeAllocatableResourceClaimStatuses',
    ),
    ...(conditions.length > 0 && { conditions }),
  };
  return isTerminalPhase(merged.phase) ? withoutReadiness(merge, merged) : merged;
}

/** Keeps the API's conditions that podkeep does not own, and appends podkeep's own in their order (SM-80). */
function mergeConditions(
  { old, status, now }: StatusMerge,
  ends: boolean,
): readonly PodCondition[] {
  const merged = (old.conditions ?? []).filter(({ type }) => !isOwned(type));
  for (const condition of status.conditions ?? []) {
    if (isOwned(condition.type)) {
      merged.push(condition);
    } else if (isShared(condition.type) && ends) {
      // Its transition time is that of podkeep's decision, but the API gets the condition only now (SM-82).
      const before = findCondition(old.conditions, condition.type);
      const place = merged.findIndex(({ type }) => type === condition.type);
      merged.splice(
        place < 0 ? merged.length : place,
        1,
        withTransitionTime(condition, before, now),
      );
    }
  }
  return merged;
}

/** The status of a terminal pod is never Ready, however late the probe results arrive (SM-85). */
function withoutReadiness(merge: StatusMerge, merged: PodStatus): PodStatus {
  const { pod, old, now } = merge;
  const { conditions } = merged;
  if (!isConditionTrue(conditions, READY) && !isConditionTrue(conditions, CONTAINERS_READY)) {
    return merged;
  }
  let unready = conditions;
  for (const type of [CONTAINERS_READY, READY]) {
    const condition = terminalReadiness(pod, type, merged.phase);
    const api = findCondition(old.conditions, type);
    const before = api?.status === condition.status ? api : findCondition(unready, type);
    unready = replaceOrAppendCondition(unready, withTransitionTime(condition, before, now));
  }
  return { ...merged, ...(unready && { conditions: unready }) };
}

/** The fields of the status that only podkeep writes. */
function pickOthers(status: PodStatus): PodStatus {
  const {
    conditions: _conditions,
    phase: _phase,
    reason: _reason,
    message: _message,
    resourceClaimStatuses: _claims,
    extendedResourceClaimStatus: _extended,
    nodeAllocatableResourceClaimStatuses: _allocatable,
    ...others
  } = status;
  return others;
}

/** Only the fields that are present: an absent field must not become `undefined`. */
function pick(status: PodStatus, ...names: readonly (keyof PodStatus)[]): PodStatus {
  return Object.fromEntries(
    names.filter((name) => status[name] !== undefined).map((name) => [name, status[name]]),
  );
}
