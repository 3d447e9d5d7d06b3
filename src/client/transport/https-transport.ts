/**
 * The Transport to an API server across a network: HTTP/1.1 over TLS, with a pool of connections.
 *
 * A watch holds its connection; any other request holds one only while it runs. A client certificate belongs
 * to a connection: when the certificate is renewed, new requests use new connections, and requests under way
 * finish on the old ones. A request that has not finished after the longest request timeout is a watch; the
 * transport ends it, and the informer reopens the watch with the new certificate.
 */
import type { Dispatcher } from 'undici';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { apiUnreachable } from '../client-errors.ts';
import type { ClusterAccess } from '../kubeconfig/cluster-access.ts';
import {
  credentialsOf,
  type Credentials,
  type CredentialsPorts,
  type Identity,
} from '../kubeconfig/credentials.ts';
import { TrustedAuthorities } from '../kubeconfig/trusted-authorities.ts';
import { openConnections } from './connections.ts';
import { proxyFor } from './proxy-choice.ts';
import type { Transport, WireRequest, WireResponse } from './transport.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

/** All requests but watches end within this time. */
const OLD_CONNECTIONS_MS = 60_000;

/** Failures of a kept connection that the server closed at the moment of its reuse. */
const STALE_CONNECTION: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

export function createHttpsTransport(access: ClusterAccess, ports: CredentialsPorts): Transport {
  return new HttpsTransport(access, ports);
}

interface Connections {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly dispatcher: Promise<Dispatcher>;
}

class HttpsTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #credentials: Credentials;
  readonly #authorities: TrustedAuthorities;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #proxyUrl: string | undefined;
  readonly #origin: string;
  /** The prefix of every path, for servers behind a shared address. */
  readonly #prefix: string;
  readonly #identityHeaders: Record<string, string[]>;
  #connections: Connections | null = null;
  /** Old connections, each with a function that cancels the timer for closing it. */
  readonly #old = new Map<Dispatcher, Cancel>();

  constructor(access: ClusterAccess, ports: CredentialsPorts) {
    const { origin, pathname } = new URL(access.server);
    this.#access = access;
    this.#credentials = credentialsOf(access.user, ports);
    this.#authorities = new TrustedAuthorities(access, ports);
    this.#clock = ports.clock;
    this.#log = ports.log;
    this.#proxyUrl = access.proxyUrl ?? proxyFor(access.server, ports.environment);
    this.#identityHeaders = Object.fromEntries(
      Object.entries(access.user.headers).map(([name, values]) => [name, [...values]]),
    );
    this.#origin = origin;
    this.#prefix = pathname === '/' ? '' : pathname;
  }

  async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const [identity, ca] = await Promise.all([
      this.#credentials.current(),
      this.#authorities.current(),
    ]);
    signal.throwIfAborted();
    const dispatcher = await this.#connectionsFor(identity, ca);
    const response = await this.#ask(dispatcher, request, identity, signal);
    if (response.status === 401) this.#credentials.refused(identity);
    return response;
  }

  async close(): Promise<void> {
    const dispatcher = await this.#connections?.dispatcher;
    this.#connections = null;
    for (const cancel of this.#old.values()) cancel();
    const all = [...(dispatcher ? [dispatcher] : []), ...this.#old.keys()];
    this.#old.clear();
    await Promise.all(all.map((one) => one.destroy()));
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
      // A GET can safely be repeated, which spares the caller a back-off.
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
      body: body === null ? null : printExactJson(body),
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

  #connectionsFor({ cert, key }: Identity, ca: string | undefined): Promise<Dispatcher> {
    const known = this.#connections;
    if (known && known.cert === cert && known.key === key && known.ca === ca) {
      return known.dispatcher;
    }
    const { serverName, insecureSkipTlsVerify } = this.#access;
    const dispatcher = openConnections({
      origin: this.#origin,
      proxyUrl: this.#proxyUrl,
      clock: this.#clock,
      tls: {
        rejectUnauthorized: !insecureSkipTlsVerify,
        ...(ca !== undefined && { ca }),
        ...(serverName !== undefined && { servername: serverName }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      },
    });
    this.#connections = { ca, cert, key, dispatcher };
    known?.dispatcher
      .then((old) => this.#retire(old))
      .catch((error: unknown) => this.#log.debug('Failed to close old connections', { error }));
    return dispatcher;
  }

  async #retire(old: Dispatcher): Promise<void> {
    const cancel = this.#clock.after(OLD_CONNECTIONS_MS, () => {
      this.#old.delete(old);
      void old.destroy();
    });
    this.#old.set(old, cancel);
    await old.close();
    cancel();
    this.#old.delete(old);
  }

  #unreachable(error: unknown): Error {
    return apiUnreachable({ server: this.#access.server, reason: reasonOf(error) }, error);
  }
}

/** If several addresses failed, the message of Node.js's error is empty. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(reasonOf).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
