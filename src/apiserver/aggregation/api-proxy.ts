/**
 * Passes a request on to an aggregated API server, with the answers of kube-aggregator when that fails:
 *
 *     the APIService is not available, or has no endpoint   503 service unavailable
 *     its CA certificates cannot be loaded                  500 and why
 *     the server cannot be reached, or shows a wrong name   503 error trying to reach service: and why
 *     it does not answer in time                            504
 *
 * The user has been authorized before. When the client leaves, the request to the other server ends. A
 * redirect is an answer like any other: the client gets it, and this server does not follow it.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiServerBackend, BackendRequest } from '../../ports/api/api-server-dialer.ts';
import type { ApiResponse, Connection } from '../../ports/api/http-handler.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { withEnd } from '../flow/stream-end.ts';
import { nameOf } from '../objects/metadata.ts';
import { StatusError } from '../objects/status.ts';
import { isAvailable } from './api-service-condition.ts';
import type { BackendClient } from './backend-client.ts';
import { forwardedHeaders, type Forwarded } from './forwarded-headers.ts';

export interface ProxyCall extends Omit<Forwarded, 'isUpgrade'> {
  readonly apiService: JsonObject;
  readonly method: string;
  /** With its query, unchanged. */
  readonly target: string;
  readonly body: Uint8Array | null;
  /** Null: it may last for as long as the client stays. A StatusError is the answer then. */
  readonly limit: { readonly ms: number; readonly reason: Error } | null;
  /** Calls the listener when the client has its answer, or has left. Absent: nothing is known of it. */
  readonly onClose?: ((listener: () => void) => void) | undefined;
}

export interface ApiProxyDeps {
  readonly client: BackendClient;
  readonly clock: Clock;
  readonly log: Log;
}

export class ApiProxy {
  readonly #deps: ApiProxyDeps;

  constructor(deps: ApiProxyDeps) {
    this.#deps = deps;
  }

  /** Throws a StatusError only when the time is over. */
  async answer(call: ProxyCall): Promise<ApiResponse> {
    const backend = await this.#find(call.apiService);
    if ('status' in backend) return backend;
    const ended = new AbortController();
    const cancel = this.#limit(call, ended);
    call.onClose?.(() => ended.abort(new Error('the client has left')));
    try {
      const dialer = await this.#deps.client.dialer();
      const request = requestOf(call, ended.signal, false);
      // The time limit is for the whole answer.
      return withEnd(withoutCors(await dialer.fetch(backend, request)), cancel);
    } catch (error) {
      cancel();
      if (ended.signal.reason instanceof StatusError) throw ended.signal.reason;
      return plainError(503, `error trying to reach service: ${messageOf(error)}`);
    }
  }

  /** Answers on the connection itself, also with a refusal. */
  async connect(call: ProxyCall, connection: Connection): Promise<ApiResponse | null> {
    const backend = await this.#find(call.apiService);
    if ('status' in backend) return backend;
    const ended = new AbortController();
    const leave = (): void => ended.abort(new Error('the client has left'));
    connection.socket.once('close', leave);
    try {
      const dialer = await this.#deps.client.dialer();
      await dialer.connect(backend, requestOf(call, ended.signal, true), connection);
      return null;
    } catch (error) {
      return plainError(503, messageOf(error));
    } finally {
      connection.socket.off('close', leave);
    }
  }

  async #find(apiService: JsonObject): Promise<ApiServerBackend | ApiResponse> {
    if (!isAvailable(apiService)) return plainError(503, 'service unavailable');
    try {
      return await this.#deps.client.resolve(apiService);
    } catch (error) {
      const message = messageOf(error);
      this.#deps.log.debug('failed to resolve the Service of an APIService', {
        apiService: nameOf(apiService),
        error,
      });
      const isTrust = message.startsWith('unable to load root certificates');
      return isTrust ? plainError(500, message) : plainError(503, 'service unavailable');
    }
  }

  #limit({ limit }: ProxyCall, ended: AbortController): () => void {
    if (!limit) return () => {};
    return this.#deps.clock.after(limit.ms, () => ended.abort(limit.reason));
  }
}

function requestOf(call: ProxyCall, signal: AbortSignal, isUpgrade: boolean): BackendRequest {
  const { method, target, body } = call;
  return { method, path: target, headers: forwardedHeaders({ ...call, isUpgrade }), body, signal };
}

/** The other server does not decide which pages of a browser may read answers of this one. */
function withoutCors({ status, headers, body }: ApiResponse): ApiResponse {
  const kept = [...headers].filter(([name]) => !name.startsWith('access-control-'));
  return { status, headers: kept, body };
}

/** As Go's http.Error writes it. */
export function plainError(status: number, message: string): ApiResponse {
  const headers = [
    ['content-type', 'text/plain; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
  ] as const;
  return { status, headers, body: `${message}\n` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
