/**
 * Events are news, and after an hour they are none: then they go.
 *
 * An event lives for an hour from its last change, as in Kubernetes, where every write renews its
 * lease. One timer is set, for the event that goes next.
 */
import type { Cancel } from '../../ports/clock.ts';
import { events } from '../kinds/event.ts';
import { parseTime } from '../../api/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from '../kinds/field-path.ts';
import { readText } from '../kinds/validation/json-reading.ts';
import { prefixOf } from '../registry.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Controller } from './controller.ts';
import { PLAIN_DELETION, removeIfThere } from './deletion-request.ts';
import { follow } from './object-feed.ts';
import { readKey } from './object-key.ts';

const LIFE_MS = 3_600_000;
/** Many end in the same moment; those that follow closely go with the first. */
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
  /** When each event ends, in the order in which they were written last. */
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
      const ageMs = isPast ? Math.max(clock.now() - lastWordMs(value), 0) : 0;
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

  /** What was there at the start is in the order of names. */
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
        log.warn('an event outlives its hour', { key, error });
        this.#endsMs.set(key, clock.monotonic() + LIFE_MS);
      });
    }
    if (!this.#cancel) return;
    this.#cancel = null;
    this.#plan();
  }
}

/** The latest time that an event mentions. */
function lastWordMs(event: JsonObject): number {
  const times = TIMES.flatMap((path) => readText(valueAt(event, path)) || []);
  return Math.max(0, ...times.map((time) => parseTime(time).ms));
}
