/** How many pulls may run at once. Whoever comes first is served first; who leaves makes room. */
export class PullLanes {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Rejects with the signal's reason if that is aborted before the turn comes. */
  async run<Answer>(signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#busy < this.#max) {
      this.#busy += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        this.#busy += 1;
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
