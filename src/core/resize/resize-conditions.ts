/**
 * Computes the two conditions of a resize, PodResizePending and PodResizeInProgress (SM-95 to SM-101). They
 * are kept in memory only; after a restart they are rebuilt from the API.
 *
 *     (none) ──requested──> pending: Deferred or Infeasible ──granted──> in progress ──done──> (none)
 */
import type { Time } from '../../api/meta.ts';
import type { Pod, PodCondition } from '../../api/pod.ts';
import { RESIZE_IN_PROGRESS, RESIZE_PENDING } from '../pod-status/condition-ownership.ts';

export interface ResizeConditions {
  readonly pending?: PodCondition | undefined;
  readonly inProgress?: PodCondition | undefined;
}

export interface ResizeReport {
  readonly reason: string;
  readonly message: string;
  /** Of the spec that requests the resize. */
  readonly generation: number;
}

export interface ResizeChange {
  readonly conditions: ResizeConditions;
  /** The change has to be reported. */
  readonly changed: boolean;
}

const INFEASIBLE = 'Infeasible';
const DEFERRED = 'Deferred';

/** Pending first: the order in which the status shows them (SM-95). */
export function listConditions({ pending, inProgress }: ResizeConditions): readonly PodCondition[] {
  return [pending, inProgress].filter((condition) => condition !== undefined);
}

/** A new message alone is stored, but does not count as a change (SM-96). */
export function setPending(
  conditions: ResizeConditions,
  report: ResizeReport,
  now: Time,
): ResizeChange {
  const old = conditions.pending;
  const reason = report.reason === INFEASIBLE ? INFEASIBLE : DEFERRED;
  const pending = conditionOf(RESIZE_PENDING, old, { ...report, reason }, now);
  return {
    conditions: { ...conditions, pending },
    changed: old?.reason !== reason || (old.observedGeneration ?? 0) !== report.generation,
  };
}

/**
 * The condition keeps its first generation until it is cleared; a report without reason and message keeps the
 * old ones (SM-97).
 */
export function setInProgress(
  conditions: ResizeConditions,
  report: ResizeReport,
  now: Time,
): ResizeChange & { readonly generation: number } {
  const old = conditions.inProgress;
  const keepsMessage = old !== undefined && report.reason === '' && report.message === '';
  const generation = old ? (old.observedGeneration ?? 0) : report.generation;
  const { reason = '', message = '' } = keepsMessage ? old : report;
  const inProgress = conditionOf(RESIZE_IN_PROGRESS, old, { reason, message, generation }, now);
  const changed = !old || (old.reason ?? '') !== reason || (old.message ?? '') !== message;
  return { conditions: { ...conditions, inProgress }, changed, generation };
}

export function clearPending(conditions: ResizeConditions): ResizeConditions {
  return conditions.pending ? { ...conditions, pending: undefined } : conditions;
}

export function clearInProgress(conditions: ResizeConditions): ResizeConditions {
  return conditions.inProgress ? { ...conditions, inProgress: undefined } : conditions;
}

/** After a restart: the API's conditions, with the current time (SM-100). */
export function backfill({ status }: Pod, now: Time): ResizeConditions {
  const rebuilt = (type: string): PodCondition | undefined => {
    const found = status?.conditions?.findLast((condition) => condition.type === type);
    if (!found) return undefined;
    const { reason = '', message = '', observedGeneration: generation = 0 } = found;
    return conditionOf(type, undefined, { reason, message, generation }, now);
  };
  return { pending: rebuilt(RESIZE_PENDING), inProgress: rebuilt(RESIZE_IN_PROGRESS) };
}

/** How many resizes are pending, by reason, and how many are in progress (SM-101). */
export interface ResizeCounts {
  readonly pendingByReason: { readonly deferred: number; readonly infeasible: number };
  readonly inProgress: number;
}

export function countResizes(all: Iterable<ResizeConditions>): ResizeCounts {
  let [deferred, infeasible, inProgress] = [0, 0, 0];
  for (const conditions of all) {
    if (conditions.pending?.reason === INFEASIBLE) infeasible += 1;
    else if (conditions.pending) deferred += 1;
    if (conditions.inProgress) inProgress += 1;
  }
  return { pendingByReason: { deferred, infeasible }, inProgress };
}

/** The transition time changes with the reason (SM-99). */
function conditionOf(
  type: string,
  old: PodCondition | undefined,
  { reason, message, generation }: ResizeReport,
  now: Time,
): PodCondition {
  const isSameReason = old !== undefined && (old.reason ?? '') === reason;
  return {
    type,
    status: 'True',
    ...(generation ? { observedGeneration: generation } : undefined),
    lastProbeTime: now,
    lastTransitionTime: isSameReason ? (old.lastTransitionTime ?? now) : now,
    ...(reason ? { reason } : undefined),
    ...(message ? { message } : undefined),
  };
}
