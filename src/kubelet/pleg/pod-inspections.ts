/**
 * Looks at single pods: many pods at once, up to a limit, and each pod one look at a time.
 *
 * Whoever asks for a look gets one that begins after the question. If one is under way already, another
 * follows it, and all who asked meanwhile share that.
 *
 *     asked ──> queued ──the look before it has ended, and a lane is free──> running ──> answered
 */
export class PodInspections {
  readonly #look: (uid: string) => Promise<void>;
  readonly #parallelMax: number;
  /** Looks that have not begun. */
  readonly #queued = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** `look` never rejects: what goes wrong is a finding of its own. */
  constructor(parallelMax: number, look: (uid: string) => Promise<void>) {
    this.#parallelMax = parallelMax;
    this.#look = look;
  }

  /** Resolves after a look that began after this call. */
  request(uid: string): Promise<void> {
    const queued = this.#queued.get(uid) ?? this.#perform(uid);
    this.#queued.set(uid, queued);
    return queued;
  }

  async #perform(uid: string): Promise<void> {
    await this.#running.get(uid);
    await this.#enter();
    this.#queued.delete(uid);
    const look = this.#look(uid);
    this.#running.set(uid, look);
    try {
      await look;
    } finally {
      this.#running.delete(uid);
      this.#leave();
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#busy >= this.#parallelMax) {
      return new Promise((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#busy += 1;
    return undefined;
  }

  /** The lane goes to the next one in line without being free in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}
