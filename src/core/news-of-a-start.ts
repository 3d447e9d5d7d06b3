/**
 * Which statuses say only that a pod is being started. They can wait while other pods are to be started:
 * what comes of it says more, and is soon there.
 */
import type { ContainerStatus } from '../api/pod.ts';
import type { StatusRecord } from './status-record.ts';

const STARTING = new Set(['ContainerCreating', 'PodInitializing']);

/** Says only that a start is under way: nothing has gone wrong, and nothing runs. */
export function isOfStart({ status, isFinished }: StatusRecord): boolean {
  const { phase, reason, containerStatuses = [], initContainerStatuses = [] } = status;
  if (isFinished || phase !== 'Pending' || reason !== undefined) return false;
  return [...containerStatuses, ...initContainerStatuses].every(isToStart);
}

function isToStart({ state, lastState, restartCount }: ContainerStatus): boolean {
  const isFirst = (restartCount ?? 0) === 0 && !lastState?.terminated;
  return isFirst && STARTING.has(state?.waiting?.reason ?? '');
}
