/**
 * What a watcher has yet to read: lines that go out as fast as it takes them, and no faster.
 *
 *     first lines (made when they are taken) ──> waiting lines ──> the client
 *
 * 1. The first lines are not kept: however many objects there are, a slow reader costs nothing.
 * 2. Waiting lines are bounded in bytes. Whoever lets more pile up is cut off with a last word.
 * 3. What waits when the reader comes is taken in one piece.
 */

/** What may wait for one reader. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** As much as goes out in one piece. */
const PIECE_BYTES = 64 * 1024;

export class Outbox {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #first: Iterator<Uint8Array>;
  readonly #onEnd: () => void;
  #isFirstDone = false;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  #wake: (() => void) | undefined;

  /** `onEnd`: nobody reads any more, or the box was closed. Called once. */
  constructor(first: Iterable<Uint8Array>, onEnd: () => void) {
    this.#first = first[Symbol.iterator]();
    this.#onEnd = onEnd;
    this.stream = new ReadableStream(
      {
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#end(),
      },
      { highWaterMark: 0 },
    );
  }

  /** False: the reader is too slow, and should be told so with `close`. */
  put(line: Uint8Array): boolean {
    if (this.#isClosed) return true;
    this.#waiting.push(line);
    this.#waitingBytes += line.byteLength;
    this.#wake?.();
    return this.#waitingBytes <= WAITING_BYTES_MAX;
  }

  /** Ends the stream: after what waits, or after a last word instead of it. */
  close(lastWord?: Uint8Array): void {
    if (this.#isClosed) return;
    if (lastWord) {
      this.#waiting = [lastWord];
      this.#isFirstDone = true;
    }
    this.#end();
    this.#wake?.();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onEnd();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const piece = this.#take();
    if (piece) {
      controller.enqueue(piece);
      return;
    }
    if (this.#isClosed) {
      controller.close();
      return;
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
    return this.#pull(controller);
  }

  #take(): Uint8Array | undefined {
    const lines = this.#isFirstDone ? [] : this.#takeFirst();
    if (lines.length === 0) {
      lines.push(...this.#waiting);
      this.#waiting = [];
      this.#waitingBytes = 0;
    }
    return lines.length > 1 ? Buffer.concat(lines) : lines[0];
  }

  #takeFirst(): Uint8Array[] {
    const lines: Uint8Array[] = [];
    for (let bytes = 0; bytes < PIECE_BYTES;) {
      const { done, value } = this.#first.next();
      if (done) {
        this.#isFirstDone = true;
        break;
      }
      lines.push(value);
      bytes += value.byteLength;
    }
    return lines;
  }
}
