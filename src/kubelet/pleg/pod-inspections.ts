/**
 * Schedules the inspections of single pods: several pods in parallel, up to a limit, and one inspection at a
 * time for each pod.
 *
 * A request gets the result of an inspection that starts after the request. If an inspection of the pod is
 * already running, another one follows, which all requests made meanwhile share.
 *
 *     requested ──> queued ──the one before it has ended, and a lane is free──> running ──> answered
 */
export class PodInspections {
  readonly #look: (uid: string) => Promise<void>;
  readonly #parallelMax: number;
  /** Inspections that have not started. */
  readonly #queued = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** `look` never rejects: it stores its error. */
  constructor(parallelMax: number, look: (uid: string) => Promise<void>) {
    this.#parallelMax = parallelMax;
    this.#look = look;
  }

  /** Resolves after an inspection that started after this call. */
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

  /** Passes the lane to the next inspection in the queue. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}
