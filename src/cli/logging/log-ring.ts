/**
 * Keeps the newest lines of podkeep's log in memory; podkeep's kubelet server shows them to administrators.
 *
 * Holds at most LINES_MAX lines and CHARACTERS_MAX characters; the oldest lines are dropped first.
 */
import type { OwnLogLine } from '../../ports/observe/own-log.ts';

const LINES_MAX = 10_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

export class LogRing {
  readonly #lines: OwnLogLine[] = [];
  /** Lines before this index are dropped; the array is shortened from time to time. */
  #first = 0;
  #characters = 0;

  add(line: OwnLogLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
    while (this.#lines.length - this.#first > LINES_MAX || this.#characters > CHARACTERS_MAX) {
      this.#characters -= this.#lines[this.#first]?.text.length ?? 0;
      this.#first += 1;
    }
    if (this.#first <= LINES_MAX) return;
    this.#lines.splice(0, this.#first);
    this.#first = 0;
  }

  lines(): readonly OwnLogLine[] {
    return this.#lines.slice(this.#first);
  }
}
