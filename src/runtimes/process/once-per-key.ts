/** Two calls for one thing, while the first is under way, are one. */
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
