/** Builds the status of a pod that was evicted because the node is under pressure. */
import {
  findCondition,
  replaceOrAppendCondition,
  withTransitionTime,
} from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { conditionOf } from '../pod-status/condition-form.ts';
import { DISRUPTION_TARGET } from '../pod-status/condition-ownership.ts';
import { evictedStatus } from './local-storage-decision.ts';

export function pressureEvictedStatus(
  pod: Pod,
  status: PodStatus,
  message: string,
  now: Time,
): PodStatus {
  const condition = conditionOf(pod, DISRUPTION_TARGET, 'True', 'TerminationByKubelet', message);
  const old = findCondition(status.conditions, DISRUPTION_TARGET);
  return {
    ...evictedStatus(status, message),
    conditions: replaceOrAppendCondition(
      status.conditions,
      withTransitionTime(condition, old, now),
    ),
  };
}
