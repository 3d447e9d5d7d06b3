/**
 * One request for a log: reads the log and returns the next bytes to show, until the end.
 *
 *     read ──> bytes to show
 *       └─ at the end of the file: a new file has its name?   ──> the rest of the old file, then the new one
 *                                  the container has ended?   ──> the rest, then done
 *                                  otherwise wait: for a change, the end of the container, or one second
 *
 * 1. Everything written before the container was seen to have ended is shown: the file is read once more
 *    after that.
 * 2. Nothing is read before the client asks for it, so a slow client holds one block in memory at most.
 * 3. Without `follow`, the log is shown up to its end at the time of the request.
 */
import type { Clock } from '../../ports/clock.ts';
import type { LogFile } from '../../ports/pod/log-source.ts';
import { LineShaper } from './line-shaper.ts';
import { NEW_LINE } from './log-line.ts';
import type { LogOptions } from './log-options.ts';

export interface SessionOptions {
  readonly clock: Clock;
  readonly options: LogOptions;
  readonly file: LogFile;
  /** The position to start at, and, without `follow`, the position to end at. */
  readonly start: number;
  readonly end: number;
  reopen(): Promise<LogFile | null>;
  isRunning(): Promise<boolean>;
  /** Calls back when the log may have grown, and when the container may have ended. */
  watch(grown: () => void, ended: () => void): () => void;
}

const BLOCK_BYTES = 64 * 1024;
/** Longer than any entry that a runtime writes; anything longer is no log. */
const ENTRY_BYTES_MAX = 1024 * 1024;
const POLL_MS = 1000;
const NOTHING = new Uint8Array(0);

export class LogSession {
  readonly #session: SessionOptions;
  readonly #shaper: LineShaper;
  readonly #stopWatching: () => void;
  #file: LogFile;
  #position: number;
  /** The beginning of an entry whose end has not been read yet. */
  #unfinished: Uint8Array = NOTHING;
  #isSkipping = false;
  #hasEnded = false;
  #mustAsk = true;
  #hasChanged = false;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(session: SessionOptions) {
    this.#session = session;
    this.#shaper = new LineShaper(session.options);
    this.#file = session.file;
    this.#position = session.start;
    this.#stopWatching = session.options.follow
      ? session.watch(
          () => this.#changed(),
          () => {
            this.#mustAsk = true;
            this.#changed();
          },
        )
      : () => {};
  }

  /** Null: there is no more. */
  async next(): Promise<Uint8Array | null> {
    while (!this.#isClosed && !this.#shaper.isFull) {
      const block = await this.#readBlock();
      const shown = block.length > 0 ? this.#take(block) : await this.#atEnd();
      if (shown === null) break;
      if (shown.length > 0) return shown;
    }
    await this.close();
    return null;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWatching();
    this.#wake();
    await this.#file.close();
  }

  async #readBlock(): Promise<Uint8Array> {
    const { options, end } = this.#session;
    const most = options.follow ? BLOCK_BYTES : Math.min(BLOCK_BYTES, end - this.#position);
    if (most <= 0) return NOTHING;
    const block = await this.#file.read(this.#position, most);
    this.#position += block.length;
    return block;
  }

  #take(block: Uint8Array): Uint8Array {
    const shown: Uint8Array[] = [];
    let start = 0;
    for (let at = block.indexOf(NEW_LINE); at >= 0; at = block.indexOf(NEW_LINE, start)) {
      this.#entry(block.subarray(start, at + 1), shown);
      start = at + 1;
    }
    this.#keep(block.subarray(start));
    return joined(shown);
  }

  #entry(end: Uint8Array, shown: Uint8Array[]): void {
    const isWhole = !this.#isSkipping;
    const entry = this.#unfinished.length === 0 ? end : Buffer.concat([this.#unfinished, end]);
    this.#unfinished = NOTHING;
    this.#isSkipping = false;
    if (isWhole) this.#shaper.shape(entry, shown);
  }

  #keep(rest: Uint8Array): void {
    if (rest.length === 0 || this.#isSkipping) return;
    this.#unfinished = Buffer.concat([this.#unfinished, rest]);
    if (this.#unfinished.length <= ENTRY_BYTES_MAX) return;
    this.#unfinished = NOTHING;
    this.#isSkipping = true;
  }

  /** Returns the rest to show, and then null; with `follow`, it waits and returns nothing yet. */
  async #atEnd(): Promise<Uint8Array | null> {
    if (!this.#session.options.follow) return this.#unfinishedEntry();
    if (await this.#moveOn()) return NOTHING;
    if (this.#hasEnded) return this.#unfinishedEntry();
    if (this.#mustAsk) {
      this.#mustAsk = false;
      this.#hasEnded = !(await this.#session.isRunning());
      if (this.#hasEnded) return NOTHING;
    }
    await this.#wait();
    return NOTHING;
  }

  /** The last entry, if it has no newline because its writer was interrupted. */
  #unfinishedEntry(): Uint8Array | null {
    const shown: Uint8Array[] = [];
    this.#entry(NOTHING, shown);
    return shown.length === 0 ? null : joined(shown);
  }

  /** If the log was rotated: reads the old file to its end, then switches to the new one. */
  async #moveOn(): Promise<boolean> {
    if (!(await this.#file.isReplaced())) return false;
    // The writer may have continued in the old file until the new one existed.
    const rest = await this.#file.read(this.#position, 1);
    if (rest.length > 0) return true;
    const next = await this.#session.reopen();
    if (!next) return false;
    const old = this.#file;
    this.#file = next;
    this.#position = 0;
    this.#unfinished = NOTHING;
    this.#isSkipping = false;
    await old.close();
    if (this.#isClosed) await next.close();
    return true;
  }

  #changed(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  /** Returns after a change, including one since the last call, and after a second in any case. */
  async #wait(): Promise<void> {
    if (!this.#hasChanged && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        const cancel = this.#session.clock.after(POLL_MS, () => {
          this.#mustAsk = true;
          resolve();
        });
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#hasChanged = false;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (!only) return NOTHING;
  return parts.length === 1 ? only : Buffer.concat(parts);
}
