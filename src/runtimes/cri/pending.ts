/** Two calls for one thing are one: whoever asks while it is being done waits for the same end. */
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
