/** Closes in the opposite order of opening. One that fails to close does not keep the others open. */
export class ClosingList {
  #waiting: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#waiting.unshift(close);
  }

  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#waiting.splice(0)) {
      await close().catch((error: unknown) => void failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
