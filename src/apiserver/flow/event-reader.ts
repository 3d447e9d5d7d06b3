/** Reads the events of a watch for a client in this process: as objects, without serializing them. */
import type { KubeWatchEvent } from '../../ports/api/kube-api.ts';
import type { Outbox } from './outbox.ts';

export class EventReader implements AsyncIterator<KubeWatchEvent, void> {
  readonly #outbox: Outbox<KubeWatchEvent>;
  #taken: Iterator<KubeWatchEvent> = [].values();

  constructor(outbox: Outbox<KubeWatchEvent>) {
    this.#outbox = outbox;
  }

  async next(): Promise<IteratorResult<KubeWatchEvent, void>> {
    for (;;) {
      const event = this.#taken.next();
      if (!event.done) return event;
      const taken = await this.#outbox.take();
      if (!taken) return OVER;
      this.#taken = taken.values();
    }
  }

  /** Also ends a pending `next`. */
  return(): Promise<IteratorResult<KubeWatchEvent, void>> {
    this.#taken = [].values();
    this.#outbox.leave();
    return Promise.resolve(OVER);
  }
}

const OVER = { done: true, value: undefined } as const;
