/**
 * The way to an API server across a network: HTTP/1.1 over TLS, connections kept and shared.
 *
 * A watch holds its connection, a request only as long as it takes, so connections come and go with
 * what is asked. Who we are is part of a connection if we show a certificate: when that is renewed, new
 * requests go over new connections, and those under way end on the old ones.
 *
 * undici takes a tenth of a second to load, so it is loaded with the first request.
 */
import type { Dispatcher } from 'undici';
import type { Log } from '../../ports/log.ts';
import { apiUnreachable } from '../client-errors.ts';
import type { ClusterAccess } from '../kubeconfig/cluster-access.ts';
import {
  credentialsOf,
  type Credentials,
  type CredentialsPorts,
  type Identity,
} from '../kubeconfig/credentials.ts';
import { proxyFor } from './proxy-choice.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';

const CONNECT_MS_MAX = 10_000;
/** The system asks a silent peer after this time whether it is still there. */
const PROBE_SILENCE_MS = 30_000;

/** Failures of a kept connection that the server closed just as we began to use it. */
const STALE_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export function createHttpsTransport(access: ClusterAccess, ports: CredentialsPorts): Transport {
  return new HttpsTransport(access, ports);
}

interface Connections {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly dispatcher: Promise<Dispatcher>;
}

class HttpsTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #credentials: Credentials;
  readonly #log: Log;
  readonly #proxyUrl: string | undefined;
  readonly #origin: string;
  /** In front of every path, for servers behind a shared address. */
  readonly #prefix: string;
  readonly #identityHeaders: Record<string, string[]>;
  #connections: Connections | null = null;

  constructor(access: ClusterAccess, ports: CredentialsPorts) {
    const { origin, pathname } = new URL(access.server);
    this.#access = access;
    this.#credentials = credentialsOf(access.user, ports);
    this.#log = ports.log;
    this.#proxyUrl = access.proxyUrl ?? proxyFor(access.server, ports.environment);
    this.#identityHeaders = Object.fromEntries(
      Object.entries(access.user.headers).map(([name, values]) => [name, [...values]]),
    );
    this.#origin = origin;
    this.#prefix = pathname === '/' ? '' : pathname;
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const identity = await this.#credentials.current();
    signal.throwIfAborted();
    const dispatcher = await this.#connectionsFor(identity);
    const response = await this.#ask(dispatcher, request, identity, signal);
    if (response.status === 401) this.#credentials.refused(identity);
    return response;
  }

  async close(): Promise<void> {
    const dispatcher = await this.#connections?.dispatcher;
    this.#connections = null;
    await dispatcher?.destroy();
  }

  async #ask(
    dispatcher: Dispatcher,
    request: WireRequest,
    identity: Identity,
    signal: AbortSignal,
  ): Promise<WireResponse> {
    const options = this.#optionsFor(request, identity, signal);
    try {
      return this.#toWire(await dispatcher.request(options), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // To read twice does no harm, and spares the caller a wait for nothing.
      if (request.method !== 'GET' || !STALE_CONNECTION.has(codeOf(error))) {
        throw this.#unreachable(error);
      }
    }
    try {
      return this.#toWire(await dispatcher.request(options), signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#unreachable(error);
    }
  }

  #optionsFor(
    { method, target, headers, body }: WireRequest,
    { authorization }: Identity,
    signal: AbortSignal,
  ): Dispatcher.RequestOptions {
    return {
      origin: this.#origin,
      path: `${this.#prefix}${target}`,
      method,
      headers: {
        ...headers,
        ...this.#identityHeaders,
        ...(authorization !== undefined && { authorization }),
      },
      body,
      signal,
    };
  }

  #toWire(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    signal: AbortSignal,
  ): WireResponse {
    return {
      status: statusCode,
      header: (name) => {
        const value = headers[name];
        return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
      },
      body: this.#readBody(body, signal),
    };
  }

  async *#readBody(
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (error) {
      throw signal.aborted ? signal.reason : this.#unreachable(error);
    }
  }

  #connectionsFor({ cert, key }: Identity): Promise<Dispatcher> {
    const known = this.#connections;
    if (known && known.cert === cert && known.key === key) return known.dispatcher;
    this.#connections = { cert, key, dispatcher: this.#connect(cert, key) };
    // The old ones end by themselves when what is under way on them has ended.
    known?.dispatcher
      .then((dispatcher) => dispatcher.close())
      .catch((error: unknown) => this.#log.debug('Old connections did not close', { error }));
    return this.#connections.dispatcher;
  }

  async #connect(cert: string | undefined, key: string | undefined): Promise<Dispatcher> {
    const { Pool, ProxyAgent } = await import('undici');
    const { ca, serverName, insecureSkipTlsVerify } = this.#access;
    const tls = {
      rejectUnauthorized: !insecureSkipTlsVerify,
      ...(ca !== undefined && { ca }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
    // Time limits are the caller's: a watch may be silent for as long as nothing happens.
    const shared = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 };
    const dial = {
      timeout: CONNECT_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_SILENCE_MS,
    };
    const uri = this.#proxyUrl;
    return uri === undefined
      ? new Pool(this.#origin, { ...shared, connect: { ...tls, ...dial } })
      : new ProxyAgent({ ...shared, uri, requestTls: tls, proxyTunnel: true });
  }

  #unreachable(error: unknown): Error {
    return apiUnreachable({ server: this.#access.server, reason: reasonOf(error) }, error);
  }
}

/** Node tells of several addresses that failed in an error whose own message is empty. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(reasonOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
