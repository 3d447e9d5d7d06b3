/**
 * A door without a lock: plain HTTP/1.1, for what anybody on this machine may read. Nobody is known here.
 *
 * Closing is bounded as at the other door (https-door.ts).
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpHandler } from '../ports/http-handler.ts';
import { serveHttp1 } from './http/http1.ts';
import { DOOR_LIMITS } from './http/limits.ts';
import { listenErrorOf } from './http/listen-errors.ts';
import type { RunningStreams } from './http/stream-body.ts';

export interface HttpDoorOptions {
  readonly handler: HttpHandler;
  readonly host: string;
  readonly port: number;
}

export interface HttpDoor {
  readonly port: number;
  /** Resolves when nothing is open any more. */
  close(): Promise<void>;
}

/** Throws PORT_TAKEN, PORT_FORBIDDEN or PORT_UNUSABLE. */
export async function openHttpDoor({ handler, host, port }: HttpDoorOptions): Promise<HttpDoor> {
  const running: RunningStreams = new Set();
  const sockets = new Set<Duplex>();
  const onUpgrade = (socket: Duplex): void => void sockets.add(socket);
  const visitorOf = () => ({});
  const http1 = serveHttp1({ handler, limits: DOOR_LIMITS, running, visitorOf, onUpgrade });
  const server = createServer({ noDelay: true, keepAlive: true }, (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the client is gone, and there is nobody left to tell
    socket.once('close', () => sockets.delete(socket));
    http1.emit('connection', socket);
  });
  const actual = await listen(server, host, port);
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const end of running) end();
    http1.close();
    http1.closeIdleConnections();
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, DOOR_LIMITS.closeMs);
    await closed;
    clearTimeout(cut);
  };
  return { port: actual, close };
}

/** Resolves with the port. */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorOf(error, host, port)));
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
