/** Merges concurrent calls for one key: later callers wait for the call under way. */
export class Pending<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  once(key: string, step: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const begun = step().finally(() => this.#running.delete(key));
    this.#running.set(key, begun);
    return begun;
  }
}
