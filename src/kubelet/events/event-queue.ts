/**
 * The events that wait to be sent: in order for each object, and objects take turns.
 *
 *     pod a   Pulled Created Started  ─┐
 *     pod b   Killing                  ├──> the next object that is not at work
 *     node    Starting                ─┘
 *
 * A pod with much to tell does not stand in the way of others, and one whose event is on its way is
 * left alone until that has arrived. When too many wait, new ones are dropped: those that stand here
 * say how the trouble began.
 */
import { objectKey, type ApiEvent } from '../../core/events/api-event.ts';

const EVENTS_MAX = 1000;

export class EventQueue {
  readonly #waiting = new Map<string, ApiEvent[]>();
  /** Objects with waiting events of which none is on its way, in the order of their turns. */
  readonly #turns = new Set<string>();
  readonly #atWork = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many are on their way. */
  get atWork(): number {
    return this.#atWork.size;
  }

  /** False: there is no room for it. */
  add(event: ApiEvent): boolean {
    if (this.#size >= EVENTS_MAX) return false;
    const key = objectKey(event.involvedObject);
    const line = this.#waiting.get(key);
    if (line) line.push(event);
    else this.#waiting.set(key, [event]);
    this.#size += 1;
    if (!this.#atWork.has(key)) this.#turns.add(key);
    return true;
  }

  /** Takes out the next one; its object has no other turn until `done`. */
  take(): ApiEvent | undefined {
    for (const key of this.#turns) {
      this.#turns.delete(key);
      const line = this.#waiting.get(key) ?? [];
      const event = line.shift();
      if (line.length === 0) this.#waiting.delete(key);
      if (!event) continue;
      this.#size -= 1;
      this.#atWork.add(key);
      return event;
    }
    return undefined;
  }

  done(event: ApiEvent): void {
    const key = objectKey(event.involvedObject);
    this.#atWork.delete(key);
    if (this.#waiting.has(key)) this.#turns.add(key);
  }

  /** Drops all that wait, and says how many they were. */
  clear(): number {
    const dropped = this.#size;
    this.#waiting.clear();
    this.#turns.clear();
    this.#size = 0;
    return dropped;
  }
}
