/**
 * Which changes go first (F-5): those after which somebody must stop doing something.
 *
 * A pod that is no longer ready must lose its traffic; a pod that is over lets others start; a pod
 * that may be deleted frees its name. Everything else can wait behind them. That a pod is being started
 * can wait for other pods to be started, too: what comes of it says more.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { ContainerStatus, PodStatus } from '../../api/pod.ts';
import { READY } from '../condition-ownership.ts';
import { isTerminalPhase } from '../pod-facts.ts';
import type { StatusRecord } from '../status-record.ts';

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

export function isUrgent(before: PodStatus | undefined, record: StatusRecord): boolean {
  const { status, isFinished } = record;
  if (isFinished) return true;
  if (isTerminalPhase(status.phase) && !isTerminalPhase(before?.phase)) return true;
  return isConditionTrue(before?.conditions, READY) && !isConditionTrue(status.conditions, READY);
}
