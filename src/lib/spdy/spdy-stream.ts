/**
 * One stream of a SPDY connection, as a Duplex whose two directions end independently.
 *
 *     end()       this side has sent everything (FIN); the other side may continue
 *     'end'       the other side has sent everything
 *     destroy()   sends RST_STREAM, unless FIN was sent already
 *     sever()     the other side has gone; what it sent can still be read
 *
 * Data of the other side is buffered until it is read. When the buffer is full, `deliver` makes the whole
 * connection wait, and with it the other side: Kubernetes' clients have no other flow control.
 */
import { Duplex } from 'node:stream';
import type { StreamHeaders } from './header-block.ts';

/** The part of its connection that a stream needs. */
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
  /** The other side sends no data. */
  readonly isEnded: boolean;
  /** This side may not send. */
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
  #drained: (() => void) | null = null;

  constructor({ id, headers, isEnded, isMute, line }: SpdyStreamOptions) {
    super({ readableHighWaterMark: BUFFER_BYTES, writableHighWaterMark: BUFFER_BYTES });
    this.id = id;
    this.headers = headers;
    this.#line = line;
    this.#isFinSent = isMute;
    if (isEnded) this.finish();
    if (isMute) this.end();
    // Streams break whenever clients disconnect; code that reads or writes a stream notices its end.
    this.on('error', () => {});
  }

  /** Resolves when the buffer can take more. */
  deliver(data: Uint8Array): Promise<void> | null {
    if (this.destroyed || this.#isEndPushed || data.byteLength === 0) return null;
    if (this.push(data)) return null;
    return new Promise((resolve) => (this.#drained = resolve));
  }

  /** The other side has sent everything. */
  finish(): void {
    if (!this.destroyed && !this.#isEndPushed) {
      this.#isEndPushed = true;
      this.push(null);
    }
  }

  /** The other side has reset the stream. */
  abandon(): void {
    this.#isReset = true;
    this.destroy();
  }

  /** The other side no longer sends or reads. Data that it has sent stays readable. */
  sever(): void {
    this.#isReset = true;
    this.finish();
    this.#line.forget(this.id);
    this.#signalDrained();
  }

  override _read(): void {
    this.#signalDrained();
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
    this.#signalDrained();
    done(error);
  }

  #signalDrained(): void {
    const drained = this.#drained;
    this.#drained = null;
    drained?.();
  }
}
