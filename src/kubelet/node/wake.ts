/** A sleep that can be ended from outside. A call that comes while nobody sleeps is not lost. */
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

  /** Says whether it was called, rather than the time being over. It never rejects. */
  async sleep(delayMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          cancel();
          signal.removeEventListener('abort', end);
          this.#end = null;
          resolve();
        };
        const cancel = this.#clock.after(delayMs, end);
        signal.addEventListener('abort', end, { once: true });
        this.#end = end;
      });
    }
    const wasCalled = this.#isCalled;
    this.#isCalled = false;
    return wasCalled;
  }
}
