/**
 * Serves HTTP/2 on sockets that a listener has accepted.
 *
 * It uses streams, not the HTTP/1.1 compatibility API of Node.js, which costs as much as the rest of the
 * work. Node.js has no timeout for HTTP/2 bodies, so this file has one.
 */
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type {
  ApiRequest,
  ApiResponse,
  HttpHandler,
  ClientIdentity,
} from '../../ports/api/http-handler.ts';
import { addressOf, ListenerHeaders } from './listener-headers.ts';
import { failed } from './failed-answer.ts';
import { lengthOf, saysLength } from './body-length.ts';
import type { ListenerLimits } from './limits.ts';
import { readBody } from './request-body.ts';
import { sendStream, sendWhole, type RunningStreams } from './stream-body.ts';

export interface Http2Options {
  readonly handler: HttpHandler;
  readonly limits: ListenerLimits;
  readonly running: RunningStreams;
  readonly clientIdentityOf: (socket: Duplex) => ClientIdentity;
  readonly onSession: (session: ServerHttp2Session) => void;
}

const { NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR } = constants;
/** With Node.js's default, new watches would be refused as soon as a few others have much to send. */
const SESSION_MEGABYTES = 100;

export function serveHttp2(options: Http2Options): Http2Server {
  const { limits, clientIdentityOf, onSession } = options;
  const server = createServer({
    maxSessionMemory: SESSION_MEGABYTES,
    settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes },
  });
  server.on('session', (session) => {
    onSession(session);
    closeWhenIdle(session, limits.idleMs);
    limitResets(session, limits.resetsPerSecond);
    // Read once per connection, because reading a certificate is expensive.
    const clientIdentity = clientIdentityOf(session.socket);
    const turn = turnsOf();
    session.on(
      'stream',
      (stream, headers) => void serve(options, stream, headers, clientIdentity, turn),
    );
  });
  return server;
}

/** A session with an open stream is not idle: a watch may be silent for hours. */
function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams += 1;
    stream.once('close', () => (streams -= 1));
  });
  session.setTimeout(idleMs, () => {
    if (streams === 0) session.close();
  });
  session.on('error', () => {}); // the client is gone
}

/** One packet can open a hundred streams. Only this many become requests in each turn of the event loop. */
const STARTS_PER_TURN = 4;

function turnsOf(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const begin = (): void => {
    for (const start of waiting.splice(0, STARTS_PER_TURN)) start();
    if (waiting.length > 0) setImmediate(begin);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.length === 0) setImmediate(begin);
      waiting.push(resolve);
    });
}

/**
 * Closes a session whose client resets too many streams: a reset costs the client nothing, and the server a
 * request.
 */
function limitResets(session: ServerHttp2Session, perSecond: number): void {
  let secondAtMs = performance.now();
  let resets = 0;
  session.on('stream', (stream) => {
    stream.once('aborted', () => {
      const nowMs = performance.now();
      if (nowMs - secondAtMs > 1000) {
        secondAtMs = nowMs;
        resets = 0;
      }
      resets += 1;
      if (resets > perSecond) session.destroy(undefined, NGHTTP2_ENHANCE_YOUR_CALM);
    });
  });
}

async function serve(
  { handler, limits, running }: Http2Options,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  clientIdentity: ClientIdentity,
  turn: () => Promise<void>,
): Promise<void> {
  stream.on('error', () => {}); // the client is gone
  stream.on('aborted', () => {
    // The client has reset the stream without an error code: Node.js would wait until it reads the unsent
    // data.
    if (stream.rstCode === NGHTTP2_NO_ERROR) stream.destroy();
  });
  await turn();
  // The stream was reset before its request was handled.
  if (stream.destroyed || stream.aborted) return;
  const request = readRequest(stream, headers);
  if (!request) return stream.respond({ ':status': 400 }, { endStream: true });
  if (request.body) limitTime(stream, limits.requestMs);
  if (headers['expect'] === '100-continue') stream.additionalHeaders({ ':status': 100 });
  const answer = await handler.answer(request, clientIdentity).catch(failed);
  // Node refuses some headers that a backend may have sent, such as two tags.
  await send(answer, stream, request.method, { running, limits }).catch(() => stream.destroy());
}

function readRequest(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): ApiRequest | null {
  const { ':method': method = 'GET', ':path': target = '/', ':authority': authority } = headers;
  const url = addressOf(authority ?? headers.host ?? 'localhost', target);
  if (url === null) return null;
  const body = stream.endAfterHeaders ? null : readBody(stream);
  const onClose = (listener: () => void): void => void stream.once('close', listener);
  return { method, url, headers: new ListenerHeaders(headers), body, onClose };
}

function limitTime(stream: ServerHttp2Stream, requestMs: number): void {
  const timer = setTimeout(() => stream.close(NGHTTP2_CANCEL), requestMs);
  const stop = (): void => clearTimeout(timer);
  stream.once('end', stop).once('close', stop);
}

async function send(
  { status, headers, body }: ApiResponse,
  stream: ServerHttp2Stream,
  method: string,
  { running, limits }: Pick<Http2Options, 'running' | 'limits'>,
): Promise<void> {
  const isHead = method === 'HEAD';
  if (stream.destroyed || stream.closed)
    return void (body instanceof ReadableStream && (await body.cancel()));
  const lines = groupHeaders(status, headers);
  if (body instanceof ReadableStream) {
    stream.respond(lines, { endStream: isHead });
    return isHead ? body.cancel() : sendStream(body, stream, running, limits.stallMs);
  }
  const bytes = lengthOf(body);
  if (saysLength(status)) lines['content-length'] = String(bytes);
  stream.respond(lines, { endStream: isHead || bytes === 0 });
  // After the answer is complete, the unread rest of the request body is not needed.
  if (!stream.readableEnded && !stream.endAfterHeaders) {
    stream.once('finish', () => stream.close(NGHTTP2_NO_ERROR));
  }
  if (!isHead && body !== null && bytes > 0) await sendWhole(body, stream, limits.stallMs);
}

/** A repeated header becomes a list. */
function groupHeaders(
  status: number,
  headers: ApiResponse['headers'],
): Record<string, number | string | string[]> {
  const grouped: Record<string, number | string | string[]> = { ':status': status };
  for (const [name, value] of headers) {
    const before = grouped[name];
    if (before === undefined) grouped[name] = value;
    else grouped[name] = [...(Array.isArray(before) ? before : [String(before)]), value];
  }
  return grouped;
}
