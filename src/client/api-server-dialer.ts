/**
 * Connects to aggregated API servers over TLS, with the client certificate of the front proxy.
 *
 * 1. The certificate is verified against the authorities of the APIService and for the name of its Service;
 *    no session is resumed, because a resumed one shows no certificate.
 * 2. Only reads reuse a connection. The server may have closed an idle connection meanwhile: then a read is
 *    sent a second time, which would not be safe for a write.
 * 3. No redirect is followed, and no proxy is used.
 */
import type { ClientRequest } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { offAbort, onAbort } from '../lib/abort-listeners.ts';
import type {
  ApiServerBackend,
  ApiServerDialer,
  BackendRequest,
} from '../ports/api/api-server-dialer.ts';
import { exchange, joinTo } from './backend-exchange.ts';
import { describeFault, isReset } from './connection-fault.ts';

export interface ApiServerDialerOptions {
  /** PEMs of the client certificate of the front proxy. */
  readonly cert: string;
  readonly key: string;
}

export interface HttpsApiServerDialer extends ApiServerDialer {
  /** Closes idle connections. */
  close(): void;
}

const IDLE_MS = 30_000;
const IDLE_SOCKETS_MAX = 4;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function createApiServerDialer(options: ApiServerDialerOptions): HttpsApiServerDialer {
  const agent = new Agent({
    keepAlive: true,
    maxCachedSessions: 0,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    timeout: IDLE_MS,
  });
  const open = (backend: ApiServerBackend, request: BackendRequest, pool: Agent | false) =>
    dial({ ...options, ...backend, ...request, agent: pool });
  return {
    fetch: async (backend, request) => {
      const outgoing = open(backend, request, READS.has(request.method) ? agent : false);
      try {
        return await exchange(outgoing, piecesOf(request.body));
      } catch (error) {
        if (!outgoing.reusedSocket || !isReset(error) || request.signal.aborted) {
          throw describeFault(error, backend);
        }
      }
      const again = open(backend, request, false);
      return exchange(again, piecesOf(request.body)).catch((error: unknown) => {
        throw describeFault(error, backend);
      });
    },
    connect: async (backend, request, connection) =>
      joinTo(open(backend, request, false), connection).catch((error: unknown) => {
        throw describeFault(error, backend);
      }),
    close: () => agent.destroy(),
  };
}

interface Dialling extends ApiServerDialerOptions, ApiServerBackend, BackendRequest {
  readonly agent: Agent | false;
}

function dial(dialling: Dialling): ClientRequest {
  const { method, host, port, path, agent, cert, key, serverName, caBundle, signal } = dialling;
  signal.throwIfAborted();
  const outgoing = requestHttps({
    method,
    host,
    port,
    path,
    agent,
    cert,
    key,
    servername: serverName,
    ...(caBundle !== null && { ca: caBundle }),
    rejectUnauthorized: !dialling.isInsecure,
    headers: linesOf(dialling),
  });
  const end = (): void => void outgoing.destroy(asError(signal.reason));
  onAbort(signal, end);
  outgoing.once('close', () => offAbort(signal, end));
  return outgoing;
}

/** A repeated header becomes a list, and each of its values a line. */
function linesOf({ headers, serverName, port, body, method }: Dialling) {
  const lines: Record<string, string | number | string[]> = Object.create(null);
  for (const [name, value] of headers) {
    const before = lines[name];
    if (before === undefined) lines[name] = value;
    else lines[name] = [...(Array.isArray(before) ? before : [String(before)]), value];
  }
  lines['host'] = port === 443 ? serverName : `${serverName}:${port}`;
  if (body !== null || !READS.has(method)) lines['content-length'] = body?.byteLength ?? 0;
  return lines;
}

// oxlint-disable-next-line typescript/require-await -- the body of a request is asynchronous by type
async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function piecesOf(body: Uint8Array | null): AsyncIterable<Uint8Array> | null {
  return body === null || body.byteLength === 0 ? null : bytesOf(body);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
