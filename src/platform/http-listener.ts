/**
 * Opens a listener for plain HTTP/1.1 without authentication, for data that every user of this machine may
 * read. Its clients have no identity.
 *
 * Closing is bounded as in https-listener.ts.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpHandler } from '../ports/api/http-handler.ts';
import { serveHttp1 } from './http/http1.ts';
import { LISTENER_LIMITS } from './http/limits.ts';
import { listenErrorOf, type ListenAddress } from './http/listen-errors.ts';
import type { RunningStreams } from './http/stream-body.ts';

export interface HttpListenerOptions {
  readonly handler: HttpHandler;
  readonly host: string;
  readonly port: number;
  /** The name of the port's setting (a flag or a field), for the hint of an error. Absent: `port`. */
  readonly portSetting?: string;
}

export interface HttpListener {
  readonly port: number;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

/** Throws PORT_TAKEN, PORT_FORBIDDEN or PORT_UNUSABLE. */
export async function openHttpListener(options: HttpListenerOptions): Promise<HttpListener> {
  const { handler, host, port, portSetting: setting = 'the option port' } = options;
  const running: RunningStreams = new Set();
  const sockets = new Set<Duplex>();
  const onUpgrade = (socket: Duplex): void => void sockets.add(socket);
  const clientIdentityOf = () => ({});
  const http1 = serveHttp1({
    handler,
    limits: LISTENER_LIMITS,
    running,
    clientIdentityOf,
    onUpgrade,
  });
  const server = createServer({ noDelay: true, keepAlive: true }, (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the client is gone
    socket.once('close', () => sockets.delete(socket));
    http1.emit('connection', socket);
  });
  const actual = await listen(server, { host, port, setting });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const end of running) end();
    http1.close();
    http1.closeIdleConnections();
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, LISTENER_LIMITS.closeMs);
    await closed;
    clearTimeout(cut);
  };
  return { port: actual, close };
}

/** Resolves with the port. */
function listen(server: Server, address: ListenAddress): Promise<number> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorOf(error, address)));
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
