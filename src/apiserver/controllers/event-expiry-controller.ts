/**
 * Deletes Events one hour after their last change.
 *
 * kube-apiserver also keeps Events for one hour after each write. Only one timer runs, for the Event that
 * expires next.
 */
import type { Cancel } from '../../ports/clock.ts';
import { events } from '../kinds/core/event.ts';
import { parseTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../objects/field-path.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { prefixOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import type { Controller } from './controller.ts';
import { PLAIN_DELETION, removeIfThere } from './deletion-request.ts';
import { follow } from '../registry/object-feed.ts';
import { readKey } from './object-key.ts';

const LIFE_MS = 3_600_000;
/** Events that expire within this time after the first are deleted together with it. */
const CLOSE_MS = 1000;

const TIMES = [
  'metadata.creationTimestamp',
  'eventTime',
  'firstTimestamp',
  'lastTimestamp',
  'series.lastObservedTime',
];

export class EventExpiryController implements Controller {
  readonly #parts: ServerParts;
  readonly #leave: () => void;
  /** When each Event expires, in the order of the last writes. */
  readonly #endsMs = new Map<string, number>();
  #cancel: Cancel | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock } = parts;
    let isPast = true;
    this.#leave = follow(store, prefixOf(events, ''), ({ type, key, value }) => {
      this.#endsMs.delete(key);
      if (type === 'delete') return;
      const ageMs = isPast ? Math.max(clock.now() - lastEventMs(value), 0) : 0;
      this.#endsMs.set(key, clock.monotonic() - ageMs + LIFE_MS);
      if (!isPast) this.#plan();
    });
    isPast = false;
    this.#sort();
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#leave();
    this.#cancel?.();
    this.#cancel = null;
    await this.#running;
  }

  /** Events that existed at the start arrive in the order of their names. */
  #sort(): void {
    const inOrder = [...this.#endsMs].sort(([, a], [, b]) => a - b);
    this.#endsMs.clear();
    for (const [key, endMs] of inOrder) this.#endsMs.set(key, endMs);
  }

  #plan(): void {
    const [first] = this.#endsMs.values();
    if (this.#cancel || first === undefined) return;
    const { clock } = this.#parts;
    this.#cancel = clock.after(Math.max(first - clock.monotonic(), 0), () => {
      this.#running = this.#expire();
    });
  }

  async #expire(): Promise<void> {
    const { registry, clock, log } = this.#parts;
    const untilMs = clock.monotonic() + CLOSE_MS;
    for (const [key, endMs] of this.#endsMs) {
      if (endMs > untilMs || !this.#cancel) break;
      this.#endsMs.delete(key);
      const { namespace, name } = readKey(key);
      const target = { definition: events, namespace, name };
      await removeIfThere(registry, target, PLAIN_DELETION).catch((error: unknown) => {
        log.warn('Failed to delete an expired Event', { key, error });
        this.#endsMs.set(key, clock.monotonic() + LIFE_MS);
      });
    }
    if (!this.#cancel) return;
    this.#cancel = null;
    this.#plan();
  }
}

/** The latest timestamp of an event. */
function lastEventMs(event: JsonObject): number {
  const times = TIMES.flatMap((path) => readText(valueAt(event, path)) || []);
  return Math.max(0, ...times.map((time) => parseTime(time).ms));
}
