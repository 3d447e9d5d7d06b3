/**
 * Recognises statuses that only report start-up progress. The status manager may delay them while other
 * pods are queued to start: the status after the start says more, and follows soon.
 */
import type { ContainerStatus } from '../../api/pod.ts';
import type { StatusRecord } from './status-record.ts';

const STARTING = new Set(['ContainerCreating', 'PodInitializing']);

/** Reports only that a start is under way: nothing has failed, and nothing runs. */
export function isOfStart({ status, isFinished }: StatusRecord): boolean {
  const { phase, reason, containerStatuses = [], initContainerStatuses = [] } = status;
  if (isFinished || phase !== 'Pending' || reason !== undefined) return false;
  return [...containerStatuses, ...initContainerStatuses].every(isToStart);
}

function isToStart({ state, lastState, restartCount }: ContainerStatus): boolean {
  const isFirst = (restartCount ?? 0) === 0 && !lastState?.terminated;
  return isFirst && STARTING.has(state?.waiting?.reason ?? '');
}
