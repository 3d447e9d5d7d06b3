/** Converts decision records to JSON: times are RFC 3339 with milliseconds; absent fields are left out. */
import type { PodReference } from '../../api/pod-reference.ts';
import { formatMicroTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';

/** The additional fields of a decision about a pod that waits. */
interface WaitingDecision extends DecisionRecord {
  readonly waitsFor?: string;
  readonly sinceMs?: number;
  readonly attempts?: number;
  readonly nextAtMs?: number;
}

/** An item of a timeline, whose pod is known. */
export function timelineItemOf(decision: WaitingDecision): JsonObject {
  const { atMs, machine, from, to, why, waitsFor, sinceMs, attempts, nextAtMs } = decision;
  return {
    at: timeOf(atMs),
    machine,
    from,
    to,
    why,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(sinceMs !== undefined && { since: timeOf(sinceMs) }),
    ...(attempts !== undefined && { attempts }),
    ...(nextAtMs !== undefined && { nextAt: timeOf(nextAtMs) }),
  };
}

export function decisionJsonOf(decision: DecisionRecord): JsonObject {
  return { pod: podJsonOf(decision.pod), ...timelineItemOf(decision) };
}

export function podJsonOf({ namespace, name, uid }: PodReference): JsonObject {
  return { namespace, name, uid };
}

/** `2026-01-02T03:04:05.678Z`. Text of the API (formatTime) has no milliseconds. */
export function timeOf(ms: number): string {
  return `${formatMicroTime(ms).slice(0, -'000Z'.length)}Z`;
}
