/** What is to be done when an attempt to write is over, such as to release reservations. */
export class Ends {
  readonly #ends: (() => void)[] = [];

  readonly whenOver = (end: () => void): void => void this.#ends.push(end);

  run(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
