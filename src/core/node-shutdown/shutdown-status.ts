/**
 * Builds the status of a pod that is terminated because its node shuts down, and defines the message by which
 * such a node reports that it is not ready.
 */
import {
  findCondition,
  replaceOrAppendCondition,
  withTransitionTime,
} from '../../api/condition.ts';
import type { Time } from '../../api/meta.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { conditionOf } from '../pod-status/condition-form.ts';
import { DISRUPTION_TARGET } from '../pod-status/condition-ownership.ts';

/** Why the node is not ready. */
export const NODE_IS_SHUTTING_DOWN = 'node is shutting down';

const REASON = 'Terminated';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** A pod that has succeeded keeps the phase Succeeded. */
export function shutDownStatus(pod: Pod, status: PodStatus, now: Time): PodStatus {
  const condition = conditionOf(pod, DISRUPTION_TARGET, 'True', 'TerminationByKubelet', MESSAGE);
  const old = findCondition(status.conditions, DISRUPTION_TARGET);
  return {
    ...status,
    phase: status.phase === 'Succeeded' ? 'Succeeded' : 'Failed',
    reason: REASON,
    message: MESSAGE,
    conditions: replaceOrAppendCondition(
      status.conditions,
      withTransitionTime(condition, old, now),
    ),
  };
}
