/**
 * Recognises statuses that only report start-up progress. The status manager may delay them while other pods
 * are queued to start: the status after the start follows soon and replaces them.
 */
import type { ContainerStatus } from '../../api/pod.ts';
import type { StatusRecord } from './status-record.ts';

const STARTING = new Set(['ContainerCreating', 'PodInitializing']);

/** True for a status which reports only that the pod is starting: nothing has failed, and nothing runs. */
export function isOfStart({ status, isFinished }: StatusRecord): boolean {
  const { phase, reason, containerStatuses = [], initContainerStatuses = [] } = status;
  if (isFinished || phase !== 'Pending' || reason !== undefined) return false;
  return [...containerStatuses, ...initContainerStatuses].every(isToStart);
}

function isToStart({ state, lastState, restartCount }: ContainerStatus): boolean {
  const isFirst = (restartCount ?? 0) === 0 && !lastState?.terminated;
  return isFirst && STARTING.has(state?.waiting?.reason ?? '');
}
