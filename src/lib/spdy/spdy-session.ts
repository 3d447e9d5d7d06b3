/**
 * One end of a SPDY/3.1 connection, for exec, attach and port-forward: the client opens streams, and both
 * sides send on them.
 *
 *     SYN_STREAM ──> accept? ──yes──> SYN_REPLY, data both ways, FIN or RST on either side
 *                       └──────no───> RST_STREAM
 *
 * Where Kubernetes' programs (moby/spdystream) do less than the protocol, the session does the same: windows
 * apply only if the other side implements them (send-windows.ts), and GOAWAY ends the connection immediately.
 *
 * A break has a different meaning at the two ends. A client that resets a stream or disconnects is no longer
 * interested in it. A Kubernetes server that resets a stream or disconnects has sent everything, so the data
 * that it sent stays readable, even when the client closes the connection.
 *
 * 1. The memory that a client can occupy is bounded: one buffer per stream, a limited number of streams, and
 *    nothing more is read while a buffer is full or too many answers are unsent.
 * 2. Frames are handled in the order of arrival, because decoding headers needs all earlier headers.
 * 3. When the connection has ended, every stream is destroyed, and `gone` is aborted.
 */
import type { Duplex } from 'node:stream';
import { IdleTimer } from '../idle-timer.ts';
import type { Timer } from '../timer.ts';
import { FrameReader } from './frame-reader.ts';
import {
  encodeFrame,
  GO_AWAY,
  RESET,
  SETTING_INITIAL_WINDOW,
  STREAM_ID_MAX,
  type ControlFrame,
  type DataFrame,
  type Frame,
  type SynStreamFrame,
} from './frames.ts';
import { encodeHeaders, HeaderReader, type StreamHeaders } from './header-block.ts';
import { SendWindows } from './send-windows.ts';
import { SpdyStream, type StreamLine } from './spdy-stream.ts';

export interface SpdySessionOptions {
  /** Absent: server. */
  readonly role?: 'server' | 'client';
  /** Bytes that the other side has sent already must be readable from it, too. */
  readonly socket: Duplex;
  readonly clock: Timer;
  /** 0: no idle timeout. */
  readonly idleMs: number;
  /** Whether to accept a stream that the other side opens. The caller then reads it, too. */
  readonly accept: (stream: SpdyStream) => boolean;
}

/** Control frames without headers. */
type PlainFrame = Exclude<ControlFrame, { readonly block: Uint8Array }>;

const STREAMS_MAX = 1024;
/** The maximum size of a data frame, so that streams alternate. */
const DATA_BYTES_MAX = 32 * 1024;
/** With more unsent bytes than this, the session stops reading from the other side. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** After reading this many bytes, the session sends a window update, if the other side implements windows. */
const READ_BYTES_ACKNOWLEDGED = 32 * 1024;
/** How long the other side may take to disconnect after GOAWAY. */
const PARTING_MS = 10_000;
/** How often the session pings while it does not read. */
const ARE_YOU_THERE_MS = 30_000;
const NO_HEADERS = new Map<string, string>();

export class SpdySession {
  readonly #socket: Duplex;
  readonly #isClient: boolean;
  readonly #clock: Timer;
  readonly #accept: (stream: SpdyStream) => boolean;
  readonly #idle: IdleTimer;
  readonly #headers = new HeaderReader();
  readonly #windows = new SendWindows();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #unread = new Map<number, number>();
  readonly #gone = new AbortController();
  /** Streams and pings of a client are odd, those of a server even. */
  #theirIdNext: number;
  #ourIdNext: number;
  #hasSentHeaders = false;
  #isParting = false;
  #cancelParting: () => void = () => {};

  constructor({ role = 'server', socket, clock, idleMs, accept }: SpdySessionOptions) {
    this.#isClient = role === 'client';
    this.#ourIdNext = this.#isClient ? 1 : 2;
    this.#theirIdNext = this.#isClient ? 2 : 1;
    this.#socket = socket;
    this.#clock = clock;
    this.#accept = accept;
    this.#idle = new IdleTimer(clock, idleMs, () => socket.destroy());
    socket.on('error', () => {}); // it closes, too
    // A client still has to read what the server sent before it disconnected.
    if (!this.#isClient) socket.once('close', () => this.#end());
    if (socket.destroyed) this.#end();
    else void this.#listen();
  }

  /** Aborted when the connection has ended, by either side. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Opens a stream. The stream ends if the other side refuses it. */
  open(headers: StreamHeaders): SpdyStream {
    const streamId = this.#ourIdNext;
    this.#ourIdNext += 2;
    const stream = this.#add(streamId, headers, false, false);
    if (this.#isParting) {
      stream.sever();
      return stream;
    }
    const block = this.#block(headers);
    this.#send({ type: 'synStream', streamId, isFin: false, isUnidirectional: false, block });
    return stream;
  }

  /** Sends GOAWAY. Data written before still arrives. */
  close(): void {
    this.#part(GO_AWAY.ok);
  }

  /** Not awaited: a failure ends the connection, and with it every stream. */
  async #listen(): Promise<void> {
    const reader = new FrameReader();
    try {
      // Destroying the socket would lose a GOAWAY that is not sent yet.
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        this.#idle.touch();
        const bytes: Uint8Array = chunk;
        for (const frame of reader.read(bytes)) {
          if (this.#isParting) break;
          await this.#handle(frame);
          await this.#catchUp();
        }
      }
    } catch {
      this.#part(GO_AWAY.protocolError);
      // Further bytes are ignored, but the end of the socket is not.
      this.#socket.resume();
    }
    // The other side has closed its direction, and counts as disconnected even if it still reads.
    if (!this.#isParting) this.#socket.destroy();
    if (this.#isClient) this.#endWithSocket();
  }

  #endWithSocket(): void {
    if (this.#socket.destroyed) this.#end();
    else this.#socket.once('close', () => this.#end());
  }

  async #handle(frame: Frame): Promise<void> {
    switch (frame.type) {
      case 'synStream':
        return this.#welcome(frame);
      case 'data':
        return this.#deliver(frame);
      case 'headers':
      case 'synReply':
        // The content is not used, but later headers refer to it.
        await this.#headers.read(frame.block);
        if (frame.isFin) this.#streams.get(frame.streamId)?.finish();
        return;
      case 'rstStream':
      case 'settings':
      case 'ping':
      case 'goAway':
      case 'windowUpdate':
        return this.#control(frame);
    }
  }

  #control(frame: PlainFrame): void {
    switch (frame.type) {
      case 'rstStream':
        return this.#drop(this.#streams.get(frame.streamId));
      case 'ping':
        // Other pings would be answers to this side's pings.
        if (frame.id % 2 !== this.#ourIdNext % 2) this.#send(frame);
        return;
      case 'goAway':
        return this.#part(GO_AWAY.ok);
      case 'settings': {
        const given = frame.values.find(([id]) => id === SETTING_INITIAL_WINDOW);
        return this.#windows.setInitial(given?.[1] ?? null);
      }
      case 'windowUpdate':
        if (this.#windows.grow(frame.streamId, frame.delta)) return;
        if (frame.streamId === 0) return this.#part(GO_AWAY.protocolError);
        this.#reset(frame.streamId, RESET.flowControlError);
        return this.#streams.get(frame.streamId)?.abandon();
    }
  }

  async #welcome({ streamId, isFin, isUnidirectional, block }: SynStreamFrame): Promise<void> {
    const headers = await this.#headers.read(block);
    if (this.#isParting) return;
    const isNext = streamId >= this.#theirIdNext && streamId % 2 === this.#theirIdNext % 2;
    if (!isNext) return this.#reset(streamId, RESET.protocolError);
    this.#theirIdNext = Math.min(streamId + 2, STREAM_ID_MAX);
    if (this.#streams.size >= STREAMS_MAX) return this.#reset(streamId, RESET.refused);
    const stream = this.#add(streamId, headers, isFin, isUnidirectional);
    // The reply is sent first, because the caller may write to the stream immediately.
    this.#send({ type: 'synReply', streamId, isFin: false, block: this.#block(NO_HEADERS) });
    if (!this.#accept(stream)) stream.destroy();
  }

  #add(id: number, headers: StreamHeaders, isEnded: boolean, isMute: boolean): SpdyStream {
    this.#windows.open(id);
    const stream = new SpdyStream({ id, headers, isEnded, isMute, line: this.#line });
    this.#streams.set(id, stream);
    return stream;
  }

  /** The other side has reset the stream. */
  #drop(stream: SpdyStream | undefined): void {
    if (this.#isClient) stream?.sever();
    else stream?.abandon();
  }

  #block(headers: StreamHeaders): Uint8Array {
    const block = encodeHeaders(headers, !this.#hasSentHeaders);
    this.#hasSentHeaders = true;
    return block;
  }

  async #deliver({ streamId, isFin, data }: DataFrame): Promise<void> {
    const stream = this.#streams.get(streamId);
    const drained = stream?.deliver(data);
    if (drained) await this.#awaitDrained(drained);
    if (isFin) stream?.finish();
    if (!this.#windows.areKept) return;
    this.#acknowledgeRead(0, data.byteLength);
    if (stream && !isFin) this.#acknowledgeRead(streamId, data.byteLength);
  }

  /**
   * While the session does not read, it does not notice that the other side disconnects. A ping to a
   * disconnected side results in an error.
   */
  async #awaitDrained(drained: Promise<void>): Promise<void> {
    const ask = (): void => {
      this.#send({ type: 'ping', id: this.#isClient ? 1 : 2 });
      cancel = this.#clock.after(ARE_YOU_THERE_MS, ask);
    };
    let cancel = this.#clock.after(ARE_YOU_THERE_MS, ask);
    await drained;
    cancel();
  }

  #acknowledgeRead(streamId: number, bytes: number): void {
    const delta = (this.#unread.get(streamId) ?? 0) + bytes;
    const isTime = delta >= READ_BYTES_ACKNOWLEDGED;
    this.#unread.set(streamId, isTime ? 0 : delta);
    if (isTime) this.#send({ type: 'windowUpdate', streamId, delta });
  }

  /**
   * Waits until unsent answers are written. Otherwise a client that sends requests and never reads would fill
   * podkeep's memory with answers.
   */
  async #catchUp(): Promise<void> {
    const socket = this.#socket;
    if (socket.writableLength < UNSENT_BYTES_MAX || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        socket.off('drain', go).off('close', go);
        resolve();
      };
      socket.on('drain', go).on('close', go);
    });
  }

  /** The interface for streams. */
  readonly #line: StreamLine = {
    send: (streamId, data, isFin, sent) => this.#sendData(streamId, data, isFin, sent),
    reset: (streamId) => this.#reset(streamId, RESET.cancel),
    forget: (streamId) => {
      this.#streams.delete(streamId);
      this.#unread.delete(streamId);
      this.#windows.close(streamId);
    },
  };

  #sendData(
    streamId: number,
    data: Uint8Array,
    isFin: boolean,
    sent: (error?: Error | null) => void,
  ): void {
    if (!this.#streams.has(streamId)) return sent();
    const wanted = Math.min(data.byteLength, DATA_BYTES_MAX);
    const size = this.#windows.take(streamId, wanted);
    if (size === 0 && wanted > 0) {
      return this.#windows.wait(() => this.#sendData(streamId, data, isFin, sent));
    }
    const rest = data.subarray(size);
    const isLast = rest.byteLength === 0;
    const frame = {
      type: 'data',
      streamId,
      isFin: isFin && isLast,
      data: data.subarray(0, size),
    } as const;
    this.#send(frame, (error) => {
      if (error || isLast) sent(error);
      else this.#sendData(streamId, rest, isFin, sent);
    });
  }

  #reset(streamId: number, status: number): void {
    this.#send({ type: 'rstStream', streamId, status });
  }

  #send(frame: Frame, sent?: (error?: Error | null) => void): void {
    this.#idle.touch();
    if (this.#socket.writable) this.#socket.write(encodeFrame(frame), sent);
    else sent?.();
  }

  #part(status: number): void {
    if (this.#isParting) return;
    for (const stream of this.#streams.values()) {
      if (this.#isClient) stream.sever();
      else stream.destroy();
    }
    this.#send({
      type: 'goAway',
      lastStreamId: Math.max(this.#theirIdNext - 2, 0),
      status,
    });
    this.#isParting = true;
    this.#gone.abort();
    this.#cancelParting = this.#clock.after(PARTING_MS, () => this.#socket.destroy());
    this.#socket.end();
  }

  #end(): void {
    this.#isParting = true;
    this.#idle.stop();
    this.#cancelParting();
    this.#headers.close();
    for (const stream of this.#streams.values()) this.#drop(stream);
    this.#gone.abort();
  }
}
