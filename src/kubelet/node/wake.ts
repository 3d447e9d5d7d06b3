/** A sleep that `call` ends early. If `call` came before the sleep, the sleep ends immediately. */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { Clock } from '../../ports/clock.ts';

export class Wake {
  readonly #clock: Clock;
  #isCalled = false;
  #end: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  call(): void {
    this.#isCalled = true;
    this.#end?.();
  }

  /** Returns whether it was called before the time was over. It never rejects. */
  async sleep(delayMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          cancel();
          offAbort(signal, end);
          this.#end = null;
          resolve();
        };
        const cancel = this.#clock.after(delayMs, end);
        onAbort(signal, end);
        this.#end = end;
      });
    }
    const wasCalled = this.#isCalled;
    this.#isCalled = false;
    return wasCalled;
  }
}
