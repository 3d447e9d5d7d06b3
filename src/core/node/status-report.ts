/**
 * Decides whether a node's status needs to be written, and builds the patch (KL-105).
 *
 *     changed, except for heartbeat times ───────> write now
 *     unchanged, and the report period is over ──> write, to update the heartbeats
 *     unchanged ─────────────────────────────────> nothing: the lease shows that the node is alive
 *
 * After a change and after a start, the next report is up to half a period early or late, so that nodes that
 * started or changed together do not report together. Reports after that one are on time.
 */
import { createTwoWayMergePatch } from '../../api/patch/two-way-merge-patch.ts';
import { structOf } from '../../api/schema/schema.ts';
import { semanticallyEqual, shareEqualFields } from '../../api/values/semantic-equal.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { conditionsIn } from './node-conditions.ts';

export interface ReportClock {
  /** When the status was last written, by a monotonic clock. Null: not yet. */
  readonly writtenMs: number | null;
  /** Added to the period until the next report. */
  readonly delayMs: number;
}

const STATUS = structOf('core/v1.NodeStatus');
const CONDITION = structOf('core/v1.NodeCondition');
const NODE = structOf('core/v1.Node');
const COMPARED_APART = new Set(['conditions']);
const HEARTBEAT = new Set(['lastHeartbeatTime']);

export const NEVER_REPORTED: ReportClock = { writtenMs: null, delayMs: 0 };

export function isReportDue(clock: ReportClock, periodMs: number, nowMs: number): boolean {
  return clock.writtenMs === null || nowMs - clock.writtenMs >= periodMs + clock.delayMs;
}

/** `chance` is uniform, at least 0 and below 1. */
export function reported(
  clock: ReportClock,
  hasChanged: boolean,
  periodMs: number,
  nowMs: number,
  chance: number,
): ReportClock {
  const isFresh = hasChanged || clock.writtenMs === null;
  return { writtenMs: nowMs, delayMs: isFresh ? periodMs * (chance - 0.5) : 0 };
}

export function hasStatusChanged(before: JsonObject, after: JsonObject): boolean {
  return (
    haveConditionsChanged(before, after) ||
    !semanticallyEqual(before, after, STATUS, COMPARED_APART)
  );
}

/**
 * A strategic merge patch of the status subresource, which accepts labels and annotations, too. Addresses are
 * replaced as a whole, because the schema merges them by type, and a node may have two of one type.
 */
export function nodePatch(before: JsonObject, after: JsonObject): JsonObject {
  const old = statusOf(before);
  const { addresses, ...rest } = shareEqualFields(old, statusOf(after), STATUS);
  const isMoved = Array.isArray(old['addresses']) && addresses !== old['addresses'];
  const status = isMoved ? { ...rest, addresses: old['addresses'] ?? [] } : { ...rest, addresses };
  const target = { ...before, metadata: after['metadata'], status: withoutAbsent(status) };
  const patch = createTwoWayMergePatch(before, target, NODE);
  if (!isMoved) return patch;
  const list = Array.isArray(addresses) ? addresses : [];
  const whole = { addresses: [...list, { $patch: 'replace' }] };
  return { ...patch, status: { ...statusOf(patch), ...whole } };
}

function haveConditionsChanged(before: JsonObject, after: JsonObject): boolean {
  const [old, now] = [sortedConditions(before), sortedConditions(after)];
  if (old.length !== now.length) return true;
  return old.some((one, index) => {
    const other = now[index];
    return !other || !semanticallyEqual(one, other, CONDITION, HEARTBEAT);
  });
}

function sortedConditions({ conditions }: JsonObject): readonly JsonObject[] {
  const typeOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : '');
  return conditionsIn(conditions).toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
}

function statusOf({ status }: JsonObject): JsonObject {
  return isJsonObject(status) ? status : {};
}

function withoutAbsent(
  object: Readonly<Record<string, JsonObject[string] | undefined>>,
): JsonObject {
  const entries = Object.entries(object);
  return Object.fromEntries(entries.flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}
