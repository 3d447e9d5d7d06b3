/**
 * The door: a TLS port that speaks HTTP/1.1 and HTTP/2, and knows its clients by their certificates.
 *
 *     socket -> TLS -> the protocol that the client chose -> handler
 *
 * A certificate counts only if the door's own authority signed it. One that somebody else signed is
 * told to the handler as a fault: who shows a wrong paper is not the same as who shows none.
 *
 * Closing is bounded: no new connections, then every stream gets its regular end, then answers under
 * way may finish, then whatever is left is cut.
 */
import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { createServer, TLSSocket, type Server } from 'node:tls';
import type { HttpHandler, ClientIdentity } from '../ports/http-handler.ts';
import { serveHttp1 } from './http/http1.ts';
import { serveHttp2 } from './http/http2.ts';
import { DOOR_LIMITS, type DoorLimits } from './http/limits.ts';
import { listenErrorOf } from './http/listen-errors.ts';
import type { RunningStreams } from './http/stream-body.ts';

/** PEMs: what the door shows, and by whom its clients have to be signed. */
export interface DoorPapers {
  /** Both absent: there is nothing to show yet, and nobody gets in. */
  readonly cert?: string;
  readonly key?: string;
  readonly ca: string;
}

/** What of TLS is spoken; absent: from 1.2 on, with what Node thinks safe. */
export interface DoorTls {
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** As OpenSSL names them. */
  readonly ciphers?: string;
  readonly ecdhCurve?: string;
}

export interface HttpsDoorOptions extends DoorPapers {
  readonly handler: HttpHandler;
  readonly tls?: DoorTls;
  /** Where to listen; absent: only for this machine. */
  readonly host?: string;
  /** Zero: any that is free. */
  readonly port: number;
  readonly limits?: Partial<DoorLimits>;
}

export interface HttpsDoor {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** For connections that come from now on. If the authority is another one, idle clients come anew. */
  renew(papers: DoorPapers): void;
  /** Resolves when nothing is open any more. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const ACCEPT_BACKLOG = 511;
const KEEP_ALIVE_MS = 30_000;

/** Throws PORT_TAKEN, PORT_FORBIDDEN or PORT_UNUSABLE. */
export async function openHttpsDoor(options: HttpsDoorOptions): Promise<HttpsDoor> {
  const { host = LOOPBACK, port } = options;
  const door = new Door(options);
  const actual = await listen(door.server, host, port);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port: actual,
    url: `https://${name}:${actual}`,
    renew: (papers) => door.renew(papers),
    close: () => door.close(),
  };
}

class Door {
  readonly server: Server;
  readonly #limits: DoorLimits;
  readonly #tls: DoorTls;
  #ca: string;
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #upgraded = new Set<Duplex>();
  readonly #running: RunningStreams = new Set();
  readonly #http1: ReturnType<typeof serveHttp1>;

  constructor({ handler, cert, key, ca, tls = {}, limits = {} }: HttpsDoorOptions) {
    this.#tls = { minVersion: 'TLSv1.2', ...tls };
    this.#ca = ca;
    this.#limits = { ...DOOR_LIMITS, ...limits };
    const common = { handler, limits: this.#limits, running: this.#running, visitorOf };
    const onUpgrade = (socket: Duplex): void => remember(this.#upgraded, socket);
    const onSession = (session: ServerHttp2Session): void => remember(this.#sessions, session);
    const http1 = (this.#http1 = serveHttp1({ ...common, onUpgrade }));
    const http2 = serveHttp2({ ...common, onSession });
    this.server = createServer({
      ...this.#tls,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ca,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: this.#limits.handshakeMs,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      noDelay: true,
    });
    this.server.on('secureConnection', (socket) => {
      remember(this.#sockets, socket);
      socket.on('error', () => {}); // the client is gone, and there is nobody left to tell
      (socket.alpnProtocol === 'h2' ? http2 : http1).emit('connection', socket);
    });
    // Whoever does not get through the handshake is not our business; Node has closed the socket.
    this.server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  renew(papers: DoorPapers): void {
    this.server.setSecureContext({ ...this.#tls, ...papers });
    if (papers.ca === this.#ca) return;
    this.#ca = papers.ca;
    // Whom the old authority had let in is asked again, as soon as nothing is under way.
    for (const session of this.#sessions) session.close();
    this.#http1.closeIdleConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const end of this.#running) end();
    for (const socket of this.#upgraded) socket.destroy();
    for (const session of this.#sessions) session.close();
    this.#http1.close();
    const sweep = setInterval(() => this.#http1.closeIdleConnections(), SWEEP_MS);
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, this.#limits.closeMs);
    await closed;
    clearTimeout(cut);
    clearInterval(sweep);
  }
}

/** While it closes, connections over HTTP/1.1 become idle one after the other. */
const SWEEP_MS = 20;

function remember<Item extends { once(event: 'close', listener: () => void): unknown }>(
  items: Set<Item>,
  item: Item,
): void {
  items.add(item);
  item.once('close', () => items.delete(item));
}

/** A connection stays with its client, and to look at a certificate costs as much as a small answer. */
const clientIdentities = new WeakMap<Duplex, ClientIdentity>();

function visitorOf(socket: Duplex): ClientIdentity {
  let clientIdentity = clientIdentities.get(socket);
  if (!clientIdentity) {
    clientIdentity = readVisitor(socket);
    clientIdentities.set(socket, clientIdentity);
  }
  return clientIdentity;
}

function readVisitor(socket: Duplex): ClientIdentity {
  if (!(socket instanceof TLSSocket)) return {};
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return {};
  if (socket.authorized) return { certificate: certificate.raw };
  return { certificateFault: String(socket.authorizationError) };
}

/** Resolves with the port. */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorOf(error, host, port)));
    server.listen({ host, port, backlog: ACCEPT_BACKLOG }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
