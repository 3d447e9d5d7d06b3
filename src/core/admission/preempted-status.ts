/** Builds the status of a pod that the kubelet preempted to admit a critical pod. */
import {
  findCondition,
  replaceOrAppendCondition,
  withTransitionTime,
} from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { conditionOf } from '../pod-status/condition-form.ts';
import { DISRUPTION_TARGET } from '../pod-status/condition-ownership.ts';

export const PREEMPTING = 'Preempting';
export const PREEMPTED_MESSAGE = 'Preempted in order to admit critical pod';

export function preemptedStatus(pod: Pod, status: PodStatus, now: Time): PodStatus {
  const condition = conditionOf(
    pod,
    DISRUPTION_TARGET,
    'True',
    'TerminationByKubelet',
    'Pod was preempted by Kubelet to accommodate a critical pod.',
  );
  const old = findCondition(status.conditions, DISRUPTION_TARGET);
  return {
    ...status,
    phase: 'Failed',
    reason: PREEMPTING,
    message: PREEMPTED_MESSAGE,
    conditions: replaceOrAppendCondition(
      status.conditions,
      withTransitionTime(condition, old, now),
    ),
  };
}
