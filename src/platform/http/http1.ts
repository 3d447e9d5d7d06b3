/**
 * Serves HTTP/1.1 on sockets that a listener has accepted.
 *
 * Node.js's server handles timeouts of headers and bodies, and reuses connections. This file adds answers
 * that do not wait for the end of the request body, and upgraded connections.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
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
import { sendStream, type RunningStreams } from './stream-body.ts';

export interface Http1Options {
  readonly handler: HttpHandler;
  readonly limits: ListenerLimits;
  readonly running: RunningStreams;
  readonly clientIdentityOf: (socket: Duplex) => ClientIdentity;
  /** Called with a socket that was upgraded to another protocol. */
  readonly onUpgrade: (socket: Duplex) => void;
}

export function serveHttp1(options: Http1Options): Server {
  const { handler, limits, clientIdentityOf, onUpgrade } = options;
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
  });
  server.on('request', (request, response) => void serve(options, request, response));
  server.on('upgrade', (message, socket, head) => {
    onUpgrade(socket);
    const request = readRequest(message);
    if (!request) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    handler
      .connect(request, { socket, head }, clientIdentityOf(socket))
      .catch(() => void socket.destroy());
  });
  // Node.js checks timeouts only after the event `listening`, which this server would never emit, because it
  // does not listen itself.
  server.emit('listening');
  return server;
}

async function serve(
  { handler, limits, running, clientIdentityOf }: Http1Options,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = readRequest(message);
  if (!read) return void response.writeHead(400).end();
  const onClose = (listener: () => void): void => void response.once('close', listener);
  const request = { ...read, onClose };
  const answer = await handler.answer(request, clientIdentityOf(message.socket)).catch(failed);
  if (!message.complete) limitLeftover(message, response, limits);
  await send(answer, message, response, { running, limits }).catch(() => response.destroy());
}

function readRequest(message: IncomingMessage): ApiRequest | null {
  const { method = 'GET', headers } = message;
  const url = addressOf(headers.host ?? 'localhost', message.url ?? '/');
  if (url === null) return null;
  return {
    method,
    url,
    headers: new ListenerHeaders(headers),
    body: hasBody(message) ? readBody(message) : null,
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return coding !== undefined || length !== '0';
}

/**
 * The client may still be sending the request body. It may finish, to be able to read the answer, but only
 * for a limited time.
 */
function limitLeftover(
  message: IncomingMessage,
  response: ServerResponse,
  { leftoverMs }: ListenerLimits,
): void {
  const { socket } = message;
  response.once('finish', () => {
    const timer = setTimeout(() => {
      if (!message.complete) socket.destroy();
    }, leftoverMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

async function send(
  { status, headers, body }: ApiResponse,
  { method }: IncomingMessage,
  response: ServerResponse,
  { running, limits }: Pick<Http1Options, 'running' | 'limits'>,
): Promise<void> {
  const lines = [...headers].flat();
  response.on('error', () => {}); // the client is gone
  if (body instanceof ReadableStream) {
    response.writeHead(status, lines);
    if (method === 'HEAD') return void (await body.cancel(), response.end());
    response.flushHeaders();
    return sendStream(body, response, running, limits.stallMs);
  }
  const bytes = lengthOf(body);
  if (saysLength(status)) lines.push('content-length', String(bytes));
  response.writeHead(status, lines);
  if (method === 'HEAD' || bytes === 0) response.end();
  else response.end(body);
}
