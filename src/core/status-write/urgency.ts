/**
 * Decides which status changes are written first: those on which other components must act (F-5).
 *
 * A pod that is no longer ready must not get traffic, a terminal pod lets its controller start another one,
 * and a pod that may be deleted frees its name. All other changes are written after these.
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
