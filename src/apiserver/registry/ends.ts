/** Collects functions to call when an attempt to write has ended, such as the release of reservations. */
export class Ends {
  readonly #ends: (() => void)[] = [];

  readonly whenOver = (end: () => void): void => void this.#ends.push(end);

  run(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
