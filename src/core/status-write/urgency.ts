/**
 * Which status changes are written first (F-5): those on which other components must act.
 *
 * A pod that is no longer ready must lose its traffic; a pod that is terminal lets others start; a pod
 * that may be deleted frees its name. Everything else can wait behind them.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { PodStatus } from '../../api/pod.ts';
import { READY } from '../pod-status/condition-ownership.ts';
import { isTerminalPhase } from '../pod/pod-facts.ts';
import type { StatusRecord } from '../pod-status/status-record.ts';

export function isUrgent(before: PodStatus | undefined, record: StatusRecord): boolean {
  const { status, isFinished } = record;
  if (isFinished) return true;
  if (isTerminalPhase(status.phase) && !isTerminalPhase(before?.phase)) return true;
  return isConditionTrue(before?.conditions, READY) && !isConditionTrue(status.conditions, READY);
}
