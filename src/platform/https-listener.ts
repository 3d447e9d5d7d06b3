/**
 * Opens an HTTPS listener for HTTP/1.1 and HTTP/2 that identifies clients by their certificates.
 *
 *     socket -> TLS -> the protocol that the client chose -> handler
 *
 * A client certificate is valid only if the listener's authority signed it. For any other certificate the
 * handler gets a fault, because a client with an invalid certificate is not the same as a client without one.
 *
 * Closing takes a limited time: the listener accepts no new connections, ends every stream regularly, lets
 * answers under way finish, and then destroys the remaining connections.
 */
import type { ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { createServer, TLSSocket, type Server } from 'node:tls';
import type { HttpHandler, ClientIdentity } from '../ports/api/http-handler.ts';
import { serveHttp1 } from './http/http1.ts';
import { serveHttp2 } from './http/http2.ts';
import { LISTENER_LIMITS, type ListenerLimits } from './http/limits.ts';
import { listenErrorOf, type ListenAddress } from './http/listen-errors.ts';
import type { RunningStreams } from './http/stream-body.ts';

/** As PEM: the listener's key and certificate, and the authority that signs client certificates. */
export interface TlsMaterial {
  /** Both absent: there is no certificate yet, and every handshake fails. */
  readonly cert?: string;
  readonly key?: string;
  readonly ca: string;
}

/** The TLS versions and ciphers. Absent: TLS 1.2 or newer, with the ciphers of Node.js. */
export interface ListenerTls {
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** OpenSSL's names. */
  readonly ciphers?: string;
  readonly ecdhCurve?: string;
}

export interface HttpsListenerOptions extends TlsMaterial {
  readonly handler: HttpHandler;
  readonly tls?: ListenerTls;
  /** The address to listen on. Absent: loopback. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** The name of the port's setting (a flag or a field), for the hint of an error. Absent: `port`. */
  readonly portSetting?: string;
  readonly limits?: Partial<ListenerLimits>;
}

export interface HttpsListener {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /**
   * Replaces the TLS material for new connections. If the authority changes, existing connections are closed
   * when they are idle.
   */
  renew(tlsMaterial: TlsMaterial): void;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const ACCEPT_BACKLOG = 511;
const KEEP_ALIVE_MS = 30_000;

/** Throws PORT_TAKEN, PORT_FORBIDDEN or PORT_UNUSABLE. */
export async function openHttpsListener(options: HttpsListenerOptions): Promise<HttpsListener> {
  const { host = LOOPBACK, port } = options;
  const listener = new Listener(options);
  const actual = await listen(listener.server, {
    host,
    port,
    setting: options.portSetting ?? 'the option port',
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port: actual,
    url: `https://${name}:${actual}`,
    renew: (tlsMaterial) => listener.renew(tlsMaterial),
    close: () => listener.close(),
  };
}

class Listener {
  readonly server: Server;
  readonly #limits: ListenerLimits;
  readonly #tls: ListenerTls;
  #ca: string;
  readonly #sockets = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #upgraded = new Set<Duplex>();
  readonly #running: RunningStreams = new Set();
  readonly #http1: ReturnType<typeof serveHttp1>;

  constructor({ handler, cert, key, ca, tls = {}, limits = {} }: HttpsListenerOptions) {
    this.#tls = { minVersion: 'TLSv1.2', ...tls };
    this.#ca = ca;
    this.#limits = { ...LISTENER_LIMITS, ...limits };
    const common = { handler, limits: this.#limits, running: this.#running, clientIdentityOf };
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
      socket.on('error', () => {}); // the client is gone
      (socket.alpnProtocol === 'h2' ? http2 : http1).emit('connection', socket);
    });
    // A failed handshake needs no further handling.
    this.server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  renew(tlsMaterial: TlsMaterial): void {
    this.server.setSecureContext({ ...this.#tls, ...tlsMaterial });
    if (tlsMaterial.ca === this.#ca) return;
    this.#ca = tlsMaterial.ca;
    // Clients of the old authority must connect again when their requests have ended.
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

/** How often a closing listener closes HTTP/1.1 connections that have become idle. */
const SWEEP_MS = 20;

function remember<Item extends { once(event: 'close', listener: () => void): unknown }>(
  items: Set<Item>,
  item: Item,
): void {
  items.add(item);
  item.once('close', () => items.delete(item));
}

/** Cached per connection, because reading a certificate costs as much as a small answer. */
const clientIdentities = new WeakMap<Duplex, ClientIdentity>();

function clientIdentityOf(socket: Duplex): ClientIdentity {
  let clientIdentity = clientIdentities.get(socket);
  if (!clientIdentity) {
    clientIdentity = readClientIdentity(socket);
    clientIdentities.set(socket, clientIdentity);
  }
  return clientIdentity;
}

function readClientIdentity(socket: Duplex): ClientIdentity {
  if (!(socket instanceof TLSSocket)) return {};
  const { remoteAddress } = socket;
  const address = remoteAddress === undefined ? {} : { address: remoteAddress };
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return address;
  if (socket.authorized) return { ...address, certificate: certificate.raw };
  return { ...address, certificateFault: String(socket.authorizationError) };
}

/** Resolves with the port. */
function listen(server: Server, address: ListenAddress): Promise<number> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorOf(error, address)));
    server.listen({ host, port, backlog: ACCEPT_BACKLOG }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
