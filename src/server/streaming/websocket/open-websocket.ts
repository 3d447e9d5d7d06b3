/**
 * Upgrades a connection to a WebSocket with the negotiated subprotocol.
 *
 * The package ws handles frames. This file limits the memory that a client can occupy: no compression, a
 * maximum message size, and no answers to pings while too many answers are unsent.
 */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../../../ports/clock.ts';
import type { ApiRequest, Connection } from '../../../ports/api/http-handler.ts';
import { IdleTimer } from '../../../lib/idle-timer.ts';

export interface OpenWebSocket {
  readonly webSocket: WebSocket;
  /** Aborted when the connection has ended, by either side. */
  readonly gone: AbortSignal;
  /** Call when data was sent: the connection is not idle. */
  readonly touch: () => void;
}

export interface WebSocketLimits {
  readonly clock: Clock;
  readonly idleMs: number;
}

/** The limit of the kubelet's server. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;
const UNSENT_BYTES_MAX = 1024 * 1024;

/** The close code of a regular end. client-go treats any other code as an error. */
export const NORMAL_CLOSURE = 1000;

/** Null: the client got a refusal, or has disconnected. An empty protocol: the client asked for none. */
export function openWebSocket(
  { method, headers }: ApiRequest,
  { socket, head }: Connection,
  protocol: string,
  { clock, idleMs }: WebSocketLimits,
): OpenWebSocket | null {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MESSAGE_BYTES_MAX,
  });
  // ws would refuse `SPDY/3.1+portforward.k8s.io`, because it is not a token by the standard.
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  // ws reads only these fields of a request.
  const message = Object.assign(new IncomingMessage(new Socket()), {
    method,
    headers: Object.fromEntries([...headers].filter(([name]) => name !== 'sec-websocket-protocol')),
  });
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  let open: OpenWebSocket | null = null;
  server.handleUpgrade(message, socket, bytes, (webSocket) => {
    open = watch(webSocket, socket, clock, idleMs);
  });
  return open;
}

function watch(webSocket: WebSocket, socket: Duplex, clock: Clock, idleMs: number): OpenWebSocket {
  const gone = new AbortController();
  const idle = new IdleTimer(clock, idleMs, () => webSocket.terminate());
  webSocket.on('message', () => idle.touch());
  webSocket.on('ping', (data) => {
    idle.touch();
    if (socket.writableLength < UNSENT_BYTES_MAX) webSocket.pong(data, false, () => {});
  });
  webSocket.on('error', () => {}); // it closes, too
  socket.once('close', () => {
    idle.stop();
    gone.abort();
  });
  webSocket.once('close', () => {
    idle.stop();
    gone.abort();
  });
  return { webSocket, gone: gone.signal, touch: () => idle.touch() };
}
