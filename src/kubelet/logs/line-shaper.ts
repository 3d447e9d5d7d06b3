/**
 * Converts the entries of a CRI log to the output for a reader: the content without tags, partial entries
 * joined to lines, with timestamps if requested, and within the requested limits.
 *
 * An invalid entry is skipped; the rest of the log is still shown.
 */
import type { Instant } from '../../api/values/time.ts';
import { NEW_LINE, parseLogLine } from './log-line.ts';
import type { LogOptions } from './log-options.ts';

const TIME = /^([^.,]*)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
const FRACTION_DIGITS = 9;

export class LineShaper {
  readonly #options: LogOptions;
  #bytesLeft: number;
  #entriesLeft: number;
  #isNewLine = true;

  constructor(options: LogOptions) {
    const { limitBytes, tailLines, follow } = options;
    this.#options = options;
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
    this.#entriesLeft = tailLines === null || follow ? Number.POSITIVE_INFINITY : tailLines;
  }

  /** Nothing more will be shown. */
  get isFull(): boolean {
    return this.#bytesLeft <= 0 || this.#entriesLeft <= 0;
  }

  /** Appends the output of one entry to `output`. */
  shape(entry: Uint8Array, output: Uint8Array[]): void {
    if (this.isFull) return;
    const line = parseLogLine(entry);
    if (!line) return;
    const { since, timestamps } = this.#options;
    if (since === null || !isBefore(line.time, since)) {
      if (timestamps && this.#isNewLine) this.#show(Buffer.from(stampOf(line.timeText)), output);
      this.#show(line.content, output);
    }
    this.#entriesLeft -= 1;
    this.#isNewLine = line.content.length === 0 || line.content.at(-1) === NEW_LINE;
  }

  #show(bytes: Uint8Array, output: Uint8Array[]): void {
    const shown = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= shown.length;
    if (shown.length > 0) output.push(shown);
  }
}

function isBefore(time: Instant, other: Instant): boolean {
  return time.ms - other.ms < 0 || (time.ms === other.ms && time.nanos < other.nanos);
}

/** Always with nine digits, so that columns are aligned. */
function stampOf(timeText: string): string {
  const [, seconds = timeText, fraction = '', zone = ''] = TIME.exec(timeText) ?? [];
  const digits = fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0');
  return `${seconds}.${digits}${zone} `;
}
