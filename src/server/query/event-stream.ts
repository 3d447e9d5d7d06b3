/**
 * Sends a watch of the query API as server-sent events.
 *
 *     pull ──> all pending events, up to 64 KiB
 *     every 15 s without an event ──> a comment, and the ID to resume from
 *     podkeep ends the watch ──> it breaks the connection: half an answer must not look complete
 *
 * The client's reading sets the pace: no event is taken from the watch while the connection is full. Each
 * comment carries a newer ID, so that a client whose filter matches few events does not have to resume from a
 * very old one.
 */
import type { QueryWatch } from '../../kubelet/query/query-watch.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

const KEEP_ALIVE_MS = 15_000;
const CHUNK_BYTES = 64 * 1024;
/** The time after which a browser reconnects. */
const RETRY_MS = 1000;

export function eventStream(watch: QueryWatch, clock: Clock): ApiResponse {
  return {
    status: 200,
    headers: [
      ['content-type', 'text/event-stream'],
      ['cache-control', 'no-store'],
      ['x-content-type-options', 'nosniff'],
      // Proxies that buffer answers would delay events.
      ['x-accel-buffering', 'no'],
    ],
    body: new ReadableStream(new WatchSource(watch, clock), {
      highWaterMark: CHUNK_BYTES,
      size: ({ byteLength }) => byteLength,
    }),
  };
}

class WatchSource {
  readonly #watch: QueryWatch;
  readonly #clock: Clock;
  #cancelKeepAlive: Cancel = () => {};

  constructor(watch: QueryWatch, clock: Clock) {
    this.#watch = watch;
    this.#clock = clock;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    controller.enqueue(Buffer.from(`retry: ${RETRY_MS}\n\n`));
    this.#watch.onCut((error) => {
      this.#cancelKeepAlive();
      controller.error(error);
    });
    this.#keepAlive(controller);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { done, value } = await this.#watch.next();
    if (!done) return controller.enqueue(this.#chunkFrom(value.frame));
    this.#cancelKeepAlive();
    controller.close();
  }

  cancel(): void {
    this.#cancelKeepAlive();
    this.#watch.end();
  }

  /** Joins many small events into one chunk. */
  #chunkFrom(first: Uint8Array): Uint8Array {
    const frames = [first];
    let bytes = first.byteLength;
    while (bytes < CHUNK_BYTES) {
      const event = this.#watch.takeNow();
      if (!event) break;
      frames.push(event.frame);
      bytes += event.frame.byteLength;
    }
    return frames.length === 1 ? first : Buffer.concat(frames, bytes);
  }

  #keepAlive(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#cancelKeepAlive = this.#clock.after(KEEP_ALIVE_MS, () => {
      const id = this.#watch.idleId();
      if (id !== null && (controller.desiredSize ?? 0) > 0) {
        controller.enqueue(Buffer.from(`: keep-alive\nid: ${id}\n\n`));
      }
      this.#keepAlive(controller);
    });
  }
}
