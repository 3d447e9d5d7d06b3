/**
 * Carries several streams in one WebSocket, with Kubernetes' subprotocols: the first byte of every message is
 * the number of a channel.
 *
 *     channel.k8s.io          number, bytes            binary messages
 *     base64.channel.k8s.io   digit, base64            text messages, for clients without binary ones
 *     v5.channel.k8s.io       also 255, number         the client closes that channel
 *
 * Data for a channel that was not requested is dropped. While the buffer of any channel is full, nothing is
 * read from the connection, so that a slow reader slows the client down.
 */
import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { NORMAL_CLOSURE, type OpenWebSocket } from './open-websocket.ts';

export interface ChannelOptions {
  readonly count: number;
  readonly isBase64: boolean;
  /** Whether the client may close a channel. */
  readonly hasClose: boolean;
  /** Whether the client may write to the channel; data on other channels is dropped. */
  readonly reads: (channel: number) => boolean;
}

const CLOSE_SIGNAL = 255;
const ZERO = 0x30;
/** The WebSocket close code for a client that violates the protocol. */
const PROTOCOL_ERROR = 1002;

export class Channels {
  readonly #webSocket: WebSocket;
  readonly #touch: () => void;
  readonly #options: ChannelOptions;
  readonly #channels: readonly Channel[];

  constructor({ webSocket, touch }: OpenWebSocket, options: ChannelOptions) {
    this.#webSocket = webSocket;
    this.#touch = touch;
    this.#options = options;
    this.#channels = Array.from(
      { length: options.count },
      (_, number) =>
        new Channel({
          send: (data, sent) => this.#send(number, data, sent),
          look: () => this.#look(),
        }),
    );
    webSocket.on('message', (data) => this.#receive(bytesOf(data)));
    webSocket.on('close', () => {
      for (const channel of this.#channels) channel.destroy();
    });
  }

  at(number: number): Channel {
    const channel = this.#channels[number];
    if (!channel) throw new RangeError(`there is no channel ${number}`);
    return channel;
  }

  /** Data written before still arrives. */
  close(): void {
    this.#webSocket.resume();
    this.#webSocket.close(NORMAL_CLOSURE);
  }

  #receive(message: Buffer): void {
    const { isBase64, hasClose, reads } = this.#options;
    const [first] = message;
    if (first === undefined) return;
    if (hasClose && first === CLOSE_SIGNAL) return this.#closeChannel(message);
    const number = isBase64 ? first - ZERO : first;
    const channel = this.#channels[number];
    if (!channel || !reads(number)) return;
    const rest = message.subarray(1);
    channel.deliver(isBase64 ? Buffer.from(rest.toString('latin1'), 'base64') : rest);
    this.#look();
  }

  #closeChannel(message: Buffer): void {
    const channel = this.#channels[message[1] ?? CLOSE_SIGNAL];
    if (message.length === 2 && channel) channel.finish();
    else this.#webSocket.close(PROTOCOL_ERROR);
  }

  /** Continues to read only if no channel's buffer is full. */
  #look(): void {
    const isFull = this.#channels.some((channel) => channel.isFull);
    if (isFull && !this.#webSocket.isPaused) this.#webSocket.pause();
    if (!isFull && this.#webSocket.isPaused) this.#webSocket.resume();
  }

  #send(number: number, data: Uint8Array, sent: (error?: Error | null) => void): void {
    const { isBase64 } = this.#options;
    this.#touch();
    const message = isBase64
      ? String.fromCodePoint(ZERO + number) + Buffer.from(data).toString('base64')
      : Buffer.concat([Buffer.from([number]), data]);
    this.#webSocket.send(message, { binary: !isBase64 }, (error) => sent(error));
  }
}

interface ChannelLine {
  send(data: Uint8Array, sent: (error?: Error | null) => void): void;
  /** Called when a buffer may have space again. */
  look(): void;
}

/** One channel. Its end is not signalled to the client, only that of the connection. */
export class Channel extends Duplex {
  readonly #line: ChannelLine;
  #isEndPushed = false;
  isFull = false;

  constructor(line: ChannelLine) {
    super();
    this.#line = line;
    // Channels break whenever clients disconnect; readers and writers notice the end of the stream.
    this.on('error', () => {});
  }

  /** Sends a message even if it is empty. */
  announce(data: Uint8Array): void {
    this.#line.send(data, () => {});
  }

  deliver(data: Uint8Array): void {
    if (this.destroyed || this.#isEndPushed || data.byteLength === 0) return;
    this.isFull = !this.push(data);
  }

  finish(): void {
    if (this.destroyed || this.#isEndPushed) return;
    this.#isEndPushed = true;
    this.push(null);
  }

  override _read(): void {
    this.#signalDrained();
  }

  override _write(
    chunk: Uint8Array,
    _encoding: unknown,
    done: (error?: Error | null) => void,
  ): void {
    this.#line.send(chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#signalDrained();
    done(error);
  }

  #signalDrained(): void {
    if (!this.isFull) return;
    this.isFull = false;
    this.#line.look();
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
