/**
 * One stream of a SPDY connection, as a Duplex whose two directions end on their own.
 *
 *     end()       we have said everything (FIN); the other side may go on
 *     'end'       the other side has said everything
 *     destroy()   enough: RST_STREAM, unless our last word was sent already
 *     sever()     the other side has gone; what it said can still be read
 *
 * What the other side sends is kept until somebody reads it. When that is too much, `deliver` makes
 * the connection wait, and with it the client: Kubernetes' clients know no other brake.
 */
import { Duplex } from 'node:stream';
import type { StreamHeaders } from './header-block.ts';

/** What a stream may ask of its connection. */
export interface StreamLine {
  send(
    streamId: number,
    data: Uint8Array,
    isFin: boolean,
    sent: (error?: Error | null) => void,
  ): void;
  reset(streamId: number): void;
  forget(streamId: number): void;
}

export interface SpdyStreamOptions {
  readonly id: number;
  readonly headers: StreamHeaders;
  /** Nothing will come; nothing may be said. */
  readonly isEnded: boolean;
  readonly isMute: boolean;
  readonly line: StreamLine;
}

const BUFFER_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();

export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: StreamHeaders;
  readonly #line: StreamLine;
  #isFinSent: boolean;
  #isEndPushed = false;
  #isReset = false;
  #room: (() => void) | null = null;

  constructor({ id, headers, isEnded, isMute, line }: SpdyStreamOptions) {
    super({ readableHighWaterMark: BUFFER_BYTES, writableHighWaterMark: BUFFER_BYTES });
    this.id = id;
    this.headers = headers;
    this.#line = line;
    this.#isFinSent = isMute;
    if (isEnded) this.finish();
    if (isMute) this.end();
    // Streams break whenever clients leave. Who reads or writes one learns of it by its end.
    this.on('error', () => {});
  }

  /** Resolves when there is room for more. */
  deliver(data: Uint8Array): Promise<void> | null {
    if (this.destroyed || this.#isEndPushed || data.byteLength === 0) return null;
    if (this.push(data)) return null;
    return new Promise((resolve) => (this.#room = resolve));
  }

  /** The other side has said everything. */
  finish(): void {
    if (!this.destroyed && !this.#isEndPushed) {
      this.#isEndPushed = true;
      this.push(null);
    }
  }

  /** The other side has had enough. */
  abandon(): void {
    this.#isReset = true;
    this.destroy();
  }

  /** The other side will say no more, and hears nothing any more. What it has said stays readable. */
  sever(): void {
    this.#isReset = true;
    this.finish();
    this.#line.forget(this.id);
    this.#makeRoom();
  }

  override _read(): void {
    this.#makeRoom();
  }

  override _write(
    chunk: Uint8Array,
    _encoding: unknown,
    done: (error?: Error | null) => void,
  ): void {
    this.#line.send(this.id, chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isFinSent) return done();
    this.#isFinSent = true;
    this.#line.send(this.id, NOTHING, true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isFinSent && !this.#isReset) this.#line.reset(this.id);
    this.#line.forget(this.id);
    this.#makeRoom();
    done(error);
  }

  #makeRoom(): void {
    const room = this.#room;
    this.#room = null;
    room?.();
  }
}
