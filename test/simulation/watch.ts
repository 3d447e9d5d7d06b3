/**
 * One podkeep's watch on the API: every change, in order, but late; and when it is cut, everything
 * once more as a list, with what happened in between left out.
 */
import type { Pod } from '../../src/api/pod.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Chronicle } from './chronicle.ts';
import type { Weather } from './weather.ts';

export type WatchEvent =
  | { readonly type: 'listed'; readonly pods: readonly Pod[] }
  | { readonly type: 'changed'; readonly pod: Pod }
  | { readonly type: 'gone'; readonly pod: Pod };

export interface WatchOptions {
  readonly clock: Clock;
  readonly weather: Weather;
  readonly chronicle: Chronicle;
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

  /** The API has changed. A watch that is cut hears nothing. */
  hear(event: WatchEvent): void {
    if (!this.#isOpen) return;
    const { weather } = this.#options;
    if (weather.strikes('watch: cut and listed again')) this.cut();
    else this.#push(event);
  }

  cut(): void {
    if (!this.#isOpen) return;
    this.#options.chronicle.tell('watch', 'the connection is cut');
    this.#isOpen = false;
    this.#queue = [];
    this.#relist(this.#options.weather.takesMs(50, 6000));
  }

  #relist(delayMs: number): void {
    const { clock, list } = this.#options;
    clock.after(delayMs, () => {
      this.#isOpen = true;
      // Read anew from the wire: equal to what was known, but not the same objects.
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
    const { chronicle, deliver } = this.#options;
    const what =
      event.type === 'listed'
        ? `${event.pods.length} pods listed`
        : `${event.type} ${event.pod.metadata.uid} at ${event.pod.metadata.resourceVersion}`;
    chronicle.tell('watch', what);
    deliver(event);
  }
}
