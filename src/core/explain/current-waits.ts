/**
 * Derives what a pod waits for now from the kubelet's decision records (wait-names.ts).
 *
 * A later record of the same state machine ends a wait: PodWaits records the end of each wait, a pod worker
 * records that a turn is done or that the phase changed, and a status write records that the API has
 * answered.
 */
import type { JsonObject } from '../../lib/json.ts';
import { STATUS_WRITE_WAIT, waitOver, withoutLastAnswer } from '../pod-waits/wait-names.ts';
import type { WaitName } from '../pod-waits/wait-names.ts';
import { countAt, msAt, objectsAt, wordAt } from './loose-json.ts';

export interface TimelineItem {
  readonly atMs: number | null;
  readonly machine: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
  readonly waitsFor: string;
  readonly sinceMs: number | null;
  readonly attempts: number;
  readonly nextMs: number | null;
}

export type CurrentWait = TimelineItem;

/** Of a PodTimeline; null: none. */
export function readItems(timeline: JsonObject | null): readonly TimelineItem[] {
  return objectsAt(timeline ?? undefined, 'items').map((item) => ({
    atMs: msAt(item, 'at'),
    machine: wordAt(item, 'machine'),
    from: wordAt(item, 'from'),
    to: wordAt(item, 'to'),
    why: wordAt(item, 'why'),
    waitsFor: wordAt(item, 'waitsFor'),
    sinceMs: msAt(item, 'since'),
    attempts: countAt(item, 'attempts'),
    nextMs: msAt(item, 'nextAt'),
  }));
}

/** The newest record of each wait that is not over, in the order of their beginning. */
export function readWaits(timeline: JsonObject | null): readonly CurrentWait[] {
  const waits = new Map<string, CurrentWait>();
  for (const item of readItems(timeline)) {
    for (const [key, wait] of waits) if (isOver(wait, item)) waits.delete(key);
    if (item.waitsFor !== '') waits.set(keyOf(item), item);
  }
  return [...waits.values()];
}

export function findWait(
  waits: readonly CurrentWait[],
  { machine, waitsFor }: WaitName,
): CurrentWait | undefined {
  return waits.find(
    (one) => one.machine === machine && withoutLastAnswer(one.waitsFor) === waitsFor,
  );
}

function isOver(wait: CurrentWait, later: TimelineItem): boolean {
  if (later.machine === 'pod-worker' && later.to === 'finished') return true;
  if (later.machine !== wait.machine) return false;
  if (later.why === waitOver(wait.waitsFor)) return true;
  if (wait.machine === 'pod-worker') return later.to !== wait.to || later.why.endsWith(' is done');
  if (wait.machine === STATUS_WRITE_WAIT.machine) return ['idle', 'missing'].includes(later.to);
  return wait.machine === 'status-manager' && later.waitsFor === '';
}

function keyOf({ machine, waitsFor }: TimelineItem): string {
  return `${machine} ${withoutLastAnswer(waitsFor)}`;
}
