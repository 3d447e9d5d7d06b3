/**
 * So many pieces of work at once. Whoever comes first is served first; who leaves makes room.
 */
export class Places {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** How many wait for one. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason if that is aborted before the turn comes. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.take(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Returns what gives the place back. To call that again does nothing. */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let holds = true;
    return () => {
      if (holds) this.#giveOn();
      holds = false;
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(enter);
    });
  }

  /** Whoever is next takes the place over: nobody who comes just now is faster. */
  #giveOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
