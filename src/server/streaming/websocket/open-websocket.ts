/**
 * Turns a connection into a WebSocket with the negotiated subprotocol.
 *
 * ws handles frames. This file limits what a client can make us hold in memory: nothing is inflated, a
 * message has a limit, and pings are not answered while answers pile up.
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
  /** Aborted when the connection is over, whichever side ended it. */
  readonly gone: AbortSignal;
  /** Something was sent, so the connection is not idle. */
  readonly touch: () => void;
}

export interface WebSocketLimits {
  readonly clock: Clock;
  readonly idleMs: number;
}

/** The limit of the kubelet's server. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;
const UNSENT_BYTES_MAX = 1024 * 1024;

/** The code of a regular end. Any other is an error to client-go. */
export const NORMAL_CLOSURE = 1000;

/** Null: the client got the reason, or is gone. An empty protocol: none was asked for. */
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
  // ws would refuse `SPDY/3.1+portforward.k8s.io`, which is no token in the standard's sense.
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  // ws reads no more of a request than this.
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
