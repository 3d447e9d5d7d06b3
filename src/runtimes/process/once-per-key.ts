/** Merges concurrent calls for one key: later callers wait for the call under way. */
export class OncePerKey {
  readonly #pending = new Map<string, Promise<string>>();

  run(key: string, step: () => Promise<string>): Promise<string> {
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const made = step().finally(() => this.#pending.delete(key));
    this.#pending.set(key, made);
    return made;
  }
}
