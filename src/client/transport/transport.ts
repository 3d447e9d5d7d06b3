/**
 * The interface for sending one request to an API server, without interpreting the answer.
 *
 * The server may be in this process or across a network; callers see no difference.
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
  /** `name` is in lower case. Null: the header is missing. */
  readonly header: (name: string) => string | null;
  /**
   * A whole text, or a stream. A stream holds its connection until it is read to its end or its iterator is
   * closed. It throws the signal's reason if the signal is aborted.
   */
  readonly body: string | AsyncIterable<Uint8Array>;
  /** The body as an object, if the server is in this process. The server shares it: do not change it. */
  readonly object?: JsonObject;
  /** The events of a watch as objects; the body is empty then. */
  readonly events?: AsyncIterable<KubeWatchEvent>;
}

export interface Transport {
  /** Rejects if the server cannot be reached, or with the signal's reason if the signal is aborted. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Closes connections. Requests under way fail. */
  close(): Promise<void>;
}
