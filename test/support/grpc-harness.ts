/** A gRPC server on a unix socket, whose answers a test decides. */
import {
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import path from 'node:path';
import { frameMessage, GrpcFrameReader } from '../../src/runtimes/cri/wire/grpc-frames.ts';

/** The result of a call; bytes are a successful answer. */
export type Answer = Uint8Array | { readonly status: number; readonly message?: string };

export type Handler = (
  request: Uint8Array,
  stream: ServerHttp2Stream,
) => Promise<Answer | null> | Answer | null;

export class GrpcHarness {
  readonly socketPath: string;
  /** By path. What is missing is not implemented. */
  readonly handlers = new Map<string, Handler>();
  /** The headers of every call, in order. */
  readonly calls: Record<string, unknown>[] = [];
  /** How often its liveness was checked. */
  pings = 0;
  #server: Http2Server | null = null;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(folder: string) {
    this.socketPath = path.join(folder, 'runtime.sock');
  }

  async start(): Promise<void> {
    const server = createServer();
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('ping', () => (this.pings += 1));
      session.on('close', () => this.#sessions.delete(session)).on('error', () => {});
    });
    server.on('stream', (stream, headers) => {
      this.calls.push(headers);
      stream.on('error', () => {});
      void this.#serve(stream, String(headers[':path']));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** As if the runtime had died. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  async #serve(stream: ServerHttp2Stream, path_: string): Promise<void> {
    const request = await readRequest(stream);
    const handler = this.handlers.get(path_);
    const answer = handler
      ? await handler(request, stream)
      : { status: 12, message: 'no such call' };
    if (answer === null || stream.destroyed) return;
    if (answer instanceof Uint8Array) sendAnswer(stream, answer);
    else sendStatus(stream, answer.status, answer.message ?? '');
  }
}

export function sendMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (!stream.headersSent) {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc' },
      { waitForTrailers: true },
    );
  }
  stream.write(frameMessage(message));
}

export function sendAnswer(stream: ServerHttp2Stream, message: Uint8Array): void {
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  sendMessage(stream, message);
  stream.end();
}

/** Without a body, as gRPC does. */
function sendStatus(stream: ServerHttp2Stream, status: number, message: string): void {
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': String(status),
    'grpc-message': encodeURIComponent(message).replaceAll('%20', ' '),
  };
  stream.respond(headers, { endStream: true });
}

/** Not by iteration, which would end the stream with the request. */
function readRequest(stream: ServerHttp2Stream): Promise<Uint8Array> {
  const frames = new GrpcFrameReader('a call', 1 << 24);
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      for (const message of frames.read(chunk)) resolve(message);
    });
  });
}
