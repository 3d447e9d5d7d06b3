/**
 * Sends the events of a watch whose objects a webhook converts, in their original order.
 *
 *     store ──> waiting ──> converted, all that wait in one review ──> sent
 *
 * 1. No event is sent before an earlier one.
 * 2. The number of waiting events is bounded: a watch that has too many of them is ended, and no other watch
 *    waits for it.
 * 3. A conversion that fails ends the watch.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { StoreEvent } from '../../ports/api/object-store.ts';
import type { WebhookForm } from '../objects/kind.ts';
import { expired, StatusError } from '../objects/status.ts';

export interface ConvertedEventsDeps {
  readonly webhook: Pick<WebhookForm, 'readAll'>;
  /** The objects of an event that are to be converted. */
  readonly objectsOf: (event: StoreEvent) => readonly JsonObject[];
  /** Called with each event, once `fromStored` knows its objects. */
  readonly send: (event: StoreEvent) => void;
  readonly fail: (error: StatusError) => void;
}

const WAITING_MAX = 10_000;

export class ConvertedEvents {
  readonly #deps: ConvertedEventsDeps;
  #waiting: StoreEvent[] = [];
  #isWorking = false;
  #isOver = false;

  constructor(deps: ConvertedEventsDeps) {
    this.#deps = deps;
  }

  /** Every event that came was sent. */
  get isIdle(): boolean {
    return !this.#isWorking;
  }

  put(event: StoreEvent): void {
    if (this.#isOver) return;
    this.#waiting.push(event);
    if (this.#waiting.length > WAITING_MAX) {
      this.#fail(expired('the conversion webhook is too slow for this watch; list again'));
    } else if (!this.#isWorking) void this.#work();
  }

  /** The watch has ended. */
  stop(): void {
    this.#isOver = true;
    this.#waiting = [];
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length > 0) {
      const events = this.#waiting.splice(0);
      try {
        await this.#deps.webhook.readAll(events.flatMap(this.#deps.objectsOf));
        for (const event of events) if (!this.#isOver) this.#deps.send(event);
      } catch (error) {
        this.#fail(new StatusError(500, 'InternalError', messageOf(error)));
      }
    }
    this.#isWorking = false;
  }

  #fail(error: StatusError): void {
    if (this.#isOver) return;
    this.stop();
    this.#deps.fail(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
