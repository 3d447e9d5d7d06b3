/**
 * Merges the Events of an object and the decision records of its kubelet into one timeline.
 *
 * Records that do not help a reader are left out: turns within one phase, versions of statuses, and
 * successful status writes.
 */
import { readItems, type TimelineItem } from './current-waits.ts';
import type { TimelineEntry } from './explanation.ts';
import { readEvents } from './event-view.ts';
import { isoTime } from './loose-json.ts';
import type { PodInput } from './pod-view.ts';
import type { JsonObject } from '../../lib/json.ts';

const ENTRIES_MAX = 200;

export function timelineOf({ events, timeline }: Pick<PodInput, 'events' | 'timeline'>) {
  const decisions = readItems(timeline).filter(isOfInterest).flatMap(decisionEntry);
  return [...eventEntries(events), ...decisions]
    .toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)))
    .slice(-ENTRIES_MAX);
}

export function eventEntries(events: readonly JsonObject[]): readonly TimelineEntry[] {
  return readEvents(events).flatMap(({ reason, message, count, firstMs, lastMs, source }) => {
    const at = isoTime(lastMs);
    const firstAt = isoTime(firstMs);
    if (at === null) return [];
    const text = message === '' ? reason : `${reason}: ${message}`;
    const entry = { at, source: source || 'event', text };
    return [count > 1 && firstAt !== null ? { ...entry, count, firstAt } : entry];
  });
}

function isOfInterest({ machine, from, to, waitsFor }: TimelineItem): boolean {
  if (waitsFor !== '') return machine !== 'status-manager';
  if (to === 'parked' || to === 'refused') return true;
  return machine === 'pod-worker' && from !== to;
}

function decisionEntry(item: TimelineItem): readonly TimelineEntry[] {
  const { machine, from, to, why, waitsFor, attempts, atMs } = item;
  const at = isoTime(atMs);
  if (at === null) return [];
  const step = from === to || waitsFor !== '' ? '' : `${from} -> ${to}: `;
  const tries = attempts > 1 ? `, attempt ${attempts}` : '';
  const text = waitsFor === '' ? `${step}${why}` : `waits for ${waitsFor}${tries}: ${why}`;
  return [{ at, source: machine, text }];
}
