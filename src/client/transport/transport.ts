/**
 * One request to an API server and its answer, uninterpreted.
 *
 * The server is in this process or across a network; callers see no difference.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KubeWatchEvent } from '../../ports/api/kube-api.ts';

export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | readonly JsonObject[] | null;
}

export interface WireResponse {
  readonly status: number;
  /** The name in lower case; null: there is no such header. */
  readonly header: (name: string) => string | null;
  /**
   * Whole, or as a stream. A stream must be read to its end or be left early: until then it holds its
   * connection. It throws the signal's reason if that is aborted.
   */
  readonly body: string | AsyncIterable<Uint8Array>;
  /** The body as an object, where it need not be parsed. The server shares it: do not change it. */
  readonly object?: JsonObject;
  /** The events of a watch as objects; then the body is empty. */
  readonly events?: AsyncIterable<KubeWatchEvent>;
}

export interface Transport {
  /** Rejects if the server cannot be reached, and with the signal's reason if that is aborted. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Closes connections. Requests under way fail. */
  close(): Promise<void>;
}
