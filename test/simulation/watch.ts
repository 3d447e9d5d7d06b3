/**
 * One podkeep's watch on the API: every change, in order, but late; after a cut, everything once more as
 * a list, without the changes in between.
 */
import type { Pod } from '../../src/api/pod.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { EventJournal } from './event-journal.ts';
import type { Weather } from './weather.ts';

export type WatchEvent =
  | { readonly type: 'listed'; readonly pods: readonly Pod[] }
  | { readonly type: 'changed'; readonly pod: Pod }
  | { readonly type: 'gone'; readonly pod: Pod };

export interface WatchOptions {
  readonly clock: Clock;
  readonly weather: Weather;
  readonly journal: EventJournal;
  readonly list: () => readonly Pod[];
  readonly deliver: (event: WatchEvent) => void;
}

export class Watch {
  readonly #options: WatchOptions;
  #queue: WatchEvent[] = [];
  #isOpen = false;
  #isDelivering = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#relist(options.weather.takesMs(1, 300));
  }

  /** Nothing is on its way. */
  get isQuiet(): boolean {
    return this.#isOpen && this.#queue.length === 0;
  }

  /** The API has changed. A watch that is cut gets no event. */
  hear(event: WatchEvent): void {
    if (!this.#isOpen) return;
    const { weather } = this.#options;
    if (weather.strikes('watch: cut and listed again')) this.cut();
    else this.#push(event);
  }

  cut(): void {
    if (!this.#isOpen) return;
    this.#options.journal.notify('watch', 'the connection is cut');
    this.#isOpen = false;
    this.#queue = [];
    this.#relist(this.#options.weather.takesMs(50, 6000));
  }

  #relist(delayMs: number): void {
    const { clock, list } = this.#options;
    clock.after(delayMs, () => {
      this.#isOpen = true;
      // Parsed again from the wire: equal to the known objects, but not the same.
      this.#push({ type: 'listed', pods: list().map((pod) => ({ ...pod })) });
    });
  }

  #push(event: WatchEvent): void {
    this.#queue.push(event);
    this.#deliverNext();
  }

  #deliverNext(): void {
    if (this.#isDelivering || this.#queue.length === 0) return;
    this.#isDelivering = true;
    const { clock, weather } = this.#options;
    const lagMs = weather.strikes('watch: lags')
      ? weather.takesMs(100, 4000)
      : weather.takesMs(1, 15);
    clock.after(lagMs, () => {
      this.#isDelivering = false;
      const event = this.#queue.shift();
      if (event) this.#deliver(event);
      this.#deliverNext();
    });
  }

  #deliver(event: WatchEvent): void {
    const { journal, deliver } = this.#options;
    const what =
      event.type === 'listed'
        ? `${event.pods.length} pods listed`
        : `${event.type} ${event.pod.metadata.uid} at ${event.pod.metadata.resourceVersion}`;
    journal.notify('watch', what);
    deliver(event);
  }
}
