/**
 * A list of resources to close, in the opposite order of opening. If one fails to close, the others are
 * closed all the same.
 */
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
