/**
 * The streams of a kubelet on a connection in memory, with a fake runtime and a clock that stands still.
 * The SPDY client here works with frames, so that it can also send what no client should.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { duplexPair, PassThrough, type Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import type { StreamRequest, Streams } from '../../src/ports/runtime/streams.ts';
import type { StreamKind } from '../../src/ports/api/streaming.ts';
import { FrameReader } from '../../src/lib/spdy/frame-reader.ts';
import { encodeFrame, type Frame } from '../../src/lib/spdy/frames.ts';
import { encodeHeaders } from '../../src/lib/spdy/header-block.ts';
import { createStreaming, type FindPod } from '../../src/server/streaming/streaming.ts';
import { silentLog as log } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** A command that the runtime was asked to run, with its ends of the streams. */
export interface Started {
  readonly id: string;
  readonly command: readonly string[];
  readonly request: StreamRequest;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly sizes: (readonly [columns: number, rows: number])[];
  exit(code: number): void;
  fail(error: Error): void;
}

export interface HarnessOptions {
  readonly findPod?: FindPod;
  readonly runtime?: Partial<Pick<PodRuntime, 'exec' | 'attach' | 'connectPort'>>;
}

const HEAD_END = '\r\n\r\n';

export class StreamingHarness {
  readonly clock = new VirtualClock();
  readonly started: Started[] = [];
  readonly #streaming;
  #waiting: ((started: Started) => void)[] = [];

  constructor({ findPod = () => ({ id: 'c1' }), runtime = {} }: HarnessOptions = {}) {
    const base: Pick<PodRuntime, 'exec' | 'attach'> = {
      exec: async (id, command, request) => this.#start(id, command, request),
      attach: async (id, request) => this.#start(id, [], request),
    };
    this.#streaming = createStreaming({
      runtime: { ...base, ...runtime },
      findPod,
      clock: this.clock,
      log,
    });
  }

  /** The client's end of a connection, on which the request was sent. */
  connect(
    kind: StreamKind,
    query: string,
    headers: Readonly<Record<string, string>>,
  ): {
    readonly socket: Duplex;
    readonly done: Promise<void>;
  } {
    const [socket, server] = joinedPair();
    const all = new Headers({ connection: 'Upgrade', ...headers });
    return { socket, done: this.#serve(kind, query, 'POST', all, server) };
  }

  #serve(
    kind: StreamKind,
    query: string,
    method: string,
    headers: Headers,
    socket: Duplex,
  ): Promise<void> {
    const request = { method, url: `https://node/${kind}/ns/p/c?${query}`, headers, body: null };
    const target = { namespace: 'ns', podName: 'p', podUid: null, container: 'c' };
    return this.#streaming.connect(kind, target, request, { socket, head: new Uint8Array() });
  }

  async spdy(kind: StreamKind, query: string, protocol = 'v4.channel.k8s.io'): Promise<SpdyClient> {
    const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
    const { socket, done } = this.connect(kind, query, headers);
    return SpdyClient.open(socket, done);
  }

  /** ws's own client; the protocol `''` asks for none. */
  async webSocket(kind: StreamKind, query: string, protocol: string): Promise<WebSocketClient> {
    const [socket, server] = joinedPair();
    const client = new WebSocketClient(socket, protocol);
    const [, ...lines] = (await readHead(server)).trim().split('\r\n');
    const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
    client.done = this.#serve(kind, query, 'GET', new Headers(headers), server);
    return client;
  }

  /** The next command that is started. */
  async nextStarted(): Promise<Started> {
    const count = this.started.length;
    return this.started[count - 1] ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  #start(id: string, command: readonly string[], request: StreamRequest): Streams {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const sizes: (readonly [number, number])[] = [];
    let [settle, fail] = [(_code: number): void => {}, (_error: Error): void => {}];
    const ended = new Promise<number>((resolve, reject) => ([settle, fail] = [resolve, reject]));
    ended.catch(() => undefined);
    const exit = (code: number): void => {
      stdout.end();
      stderr.end();
      settle(code);
    };
    const started = { id, command, request, stdin, stdout, stderr, sizes, exit, fail };
    this.started.push(started);
    for (const notify of this.#waiting.splice(0)) notify(started);
    return {
      stdin: request.stdin ? stdin : null,
      stdout: request.stdout ? stdout : null,
      stderr: request.stderr ? stderr : null,
      ended,
      resize: (columns, rows) => sizes.push([columns, rows]),
    };
  }
}

/** When one end is cut off, so is the other, as with sockets. */
function joinedPair(): readonly [Duplex, Duplex] {
  const [one, other] = duplexPair();
  for (const [own, far] of [
    [one, other],
    [other, one],
  ] as const) {
    own.once('close', () => far.destroy());
    own.on('error', () => {});
  }
  return [one, other];
}

/** Everything up to the empty line; the rest stays. */
async function readHead(socket: Duplex): Promise<string> {
  let text = '';
  while (!text.includes(HEAD_END)) {
    const chunk: unknown = socket.read();
    if (Buffer.isBuffer(chunk)) text += chunk.toString('latin1');
    else if (socket.readableEnded || socket.destroyed) throw new Error(`ended after ${text}`);
    else await once(socket, 'readable');
  }
  const end = text.indexOf(HEAD_END) + HEAD_END.length;
  if (end < text.length) socket.unshift(Buffer.from(text.slice(end), 'latin1'));
  return text.slice(0, end);
}

export class SpdyClient {
  readonly socket: Duplex;
  /** Resolves when the server has nothing more to do. */
  readonly done: Promise<void>;
  readonly answer: string;
  readonly frames: Frame[] = [];
  readonly #reader = new FrameReader();
  #streamIdNext = 1;
  #updates: (() => void)[] = [];

  private constructor(socket: Duplex, done: Promise<void>, answer: string) {
    this.socket = socket;
    this.done = done;
    this.answer = answer;
    this.#listen();
    socket.once('close', () => this.#notify());
  }

  static async open(socket: Duplex, done: Promise<void>): Promise<SpdyClient> {
    return new SpdyClient(socket, done, await readHead(socket));
  }

  #listen(): void {
    this.socket.on('data', (chunk: Buffer) => {
      this.frames.push(...this.#reader.read(chunk));
      this.#notify();
    });
  }

  /** Opens a stream and returns its ID. */
  open(headers: Readonly<Record<string, string>>, isFin = false): number {
    const streamId = this.#streamIdNext;
    this.#streamIdNext += 2;
    const block = encodeHeaders(new Map(Object.entries(headers)), streamId === 1);
    this.send({ type: 'synStream', streamId, isFin, isUnidirectional: false, block });
    return streamId;
  }

  /** Opens one of each type, and returns their IDs. */
  openTypes(...types: readonly string[]): Readonly<Record<string, number>> {
    return Object.fromEntries(types.map((streamtype) => [streamtype, this.open({ streamtype })]));
  }

  send(frame: Frame): void {
    this.socket.write(encodeFrame(frame));
  }

  say(streamId: number, text: string, isFin = false): void {
    this.send({ type: 'data', streamId, isFin, data: Buffer.from(text) });
  }

  /** The data of a stream so far. */
  heard(streamId: number): string {
    const parts = this.frames.map((frame) =>
      frame.type === 'data' && frame.streamId === streamId
        ? Buffer.from(frame.data)
        : Buffer.alloc(0),
    );
    return Buffer.concat(parts).toString();
  }

  has(wanted: Partial<Frame>): boolean {
    const pairs = Object.entries(wanted);
    return this.frames.some((frame) =>
      pairs.every(([name, value]) =>
        Object.entries(frame).some(([own, is]) => own === name && is === value),
      ),
    );
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.socket.destroyed) throw new Error('the connection is closed');
      await new Promise<void>((resolve) => this.#updates.push(resolve));
    }
  }

  #notify(): void {
    for (const notify of this.#updates.splice(0)) notify();
  }
}

/** Frames by ws; the messages as they arrived. */
export class WebSocketClient {
  readonly socket: Duplex;
  /** Resolves when the server has nothing more to do. */
  done: Promise<void> = Promise.resolve();
  readonly messages: Buffer[] = [];
  readonly #webSocket: WebSocket;
  closeCode: number | null = null;
  #updates: (() => void)[] = [];

  constructor(socket: Duplex, protocol: string) {
    this.socket = socket;
    const protocols = protocol === '' ? [] : [protocol];
    this.#webSocket = new WebSocket('ws://node/', protocols, {
      createConnection: () => socket as Socket,
    });
    this.#webSocket.on('message', (data: Buffer) => {
      this.messages.push(data);
      this.#notify();
    });
    this.#webSocket.on('error', () => {});
    this.#webSocket.on('close', (code) => {
      this.closeCode = code;
      this.#notify();
    });
  }

  send(channel: number, text: string): void {
    this.#webSocket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  }

  sendRaw(message: string | Buffer): void {
    this.#webSocket.send(message);
  }

  /** The data of a channel so far. */
  heard(channel: number): string {
    return this.messages
      .filter(([first]) => first === channel)
      .map((message) => message.subarray(1).toString())
      .join('');
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.closeCode !== null) throw new Error(`the connection is closed: ${this.closeCode}`);
      await new Promise<void>((resolve) => this.#updates.push(resolve));
    }
  }

  async closed(): Promise<number> {
    while (this.closeCode === null)
      await new Promise<void>((resolve) => this.#updates.push(resolve));
    return this.closeCode;
  }

  get protocol(): string {
    return this.#webSocket.protocol;
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  #notify(): void {
    for (const notify of this.#updates.splice(0)) notify();
  }
}
