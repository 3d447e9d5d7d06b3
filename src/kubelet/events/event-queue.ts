/**
 * Queues events that wait to be sent: in order for each object, and objects take turns.
 *
 *     pod a   Pulled Created Started  ─┐
 *     pod b   Killing                  ├──> the next object without an event in flight;
 *     node    Starting                ─┘    objects with a Warning first
 *
 * A pod with many events does not block others, and an object has at most one event in flight.
 *
 * Invariants:
 *   1. At most NORMALS_MAX Normal events wait, and at most EVENTS_MAX in all. New Normal events are dropped
 *      first, because the waiting ones show how the problem began.
 *   2. No Warning is dropped while a Normal event waits.
 *   3. While many events wait, a Normal event that equals a waiting event of its object only increments that
 *      event's count.
 */
import { objectKey, repeatKey, type ApiEvent } from '../../core/events/api-event.ts';

export interface QueuedEvent {
  readonly event: ApiEvent;
  /** How often it was recorded. */
  repeats: number;
}

const NORMALS_MAX = 1000;
const EVENTS_MAX = 20_000;
const MANY = 500;

export class EventQueue {
  readonly #waiting = new Map<string, QueuedEvent[]>();
  /** Objects with waiting events of which none is in flight, in the order of their turns. */
  readonly #turns = new Set<string>();
  /** Objects in `#turns` that have a Warning. */
  readonly #urgent = new Set<string>();
  readonly #atWork = new Set<string>();
  #size = 0;
  #normals = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of events in flight. */
  get atWork(): number {
    return this.#atWork.size;
  }

  /**
   * Returns the event that is dropped to make space, which may be the new event itself. Null: no event is
   * dropped.
   */
  add(event: ApiEvent): QueuedEvent | null {
    const queued = { event, repeats: 1 };
    const isNormal = event.type === 'Normal';
    if (isNormal && this.#size >= MANY && this.#join(event)) return null;
    const isFull = this.#size >= EVENTS_MAX;
    if (isFull || (isNormal && this.#normals >= NORMALS_MAX)) {
      const dropped = isNormal ? null : this.#dropNormal();
      if (!dropped) return queued;
      this.#append(queued);
      return dropped;
    }
    this.#append(queued);
    return null;
  }

  /** Takes the next event; its object gets no other turn until `done`. */
  take(): QueuedEvent | undefined {
    for (const turns of [this.#urgent, this.#turns]) {
      for (const key of turns) {
        this.#urgent.delete(key);
        this.#turns.delete(key);
        const line = this.#waiting.get(key) ?? [];
        const queued = line.shift();
        if (line.length === 0) this.#waiting.delete(key);
        if (!queued) continue;
        this.#forget(queued);
        this.#atWork.add(key);
        return queued;
      }
    }
    return undefined;
  }

  done(event: ApiEvent): void {
    const key = objectKey(event.involvedObject);
    this.#atWork.delete(key);
    const line = this.#waiting.get(key);
    if (!line) return;
    this.#turns.add(key);
    if (line.some((queued) => queued.event.type === 'Warning')) this.#urgent.add(key);
  }

  /** Drops all waiting events, and returns their number. */
  clear(): number {
    const dropped = this.#size;
    this.#waiting.clear();
    this.#turns.clear();
    this.#urgent.clear();
    this.#size = 0;
    this.#normals = 0;
    return dropped;
  }

  #append(queued: QueuedEvent): void {
    const { event } = queued;
    const key = objectKey(event.involvedObject);
    const line = this.#waiting.get(key);
    if (line) line.push(queued);
    else this.#waiting.set(key, [queued]);
    this.#size += 1;
    if (event.type === 'Normal') this.#normals += 1;
    if (this.#atWork.has(key)) return;
    this.#turns.add(key);
    if (event.type === 'Warning') this.#urgent.add(key);
  }

  #join(event: ApiEvent): boolean {
    const line = this.#waiting.get(objectKey(event.involvedObject)) ?? [];
    const key = repeatKey(event);
    const equal = line.find((queued) => repeatKey(queued.event) === key);
    if (!equal) return false;
    equal.repeats += 1;
    return true;
  }

  #dropNormal(): QueuedEvent | null {
    if (this.#normals === 0) return null;
    for (const [key, line] of this.#waiting) {
      const index = line.findLastIndex(({ event }) => event.type === 'Normal');
      if (index === -1) continue;
      const [dropped] = line.splice(index, 1);
      if (line.length === 0) {
        this.#waiting.delete(key);
        this.#turns.delete(key);
      }
      if (!dropped) continue;
      this.#forget(dropped);
      return dropped;
    }
    return null;
  }

  #forget({ event }: QueuedEvent): void {
    this.#size -= 1;
    if (event.type === 'Normal') this.#normals -= 1;
  }
}
