/**
 * One request to an API server and its answer, before anybody looks at what they mean.
 *
 * The server is in this process or across a network; those who ask do not notice.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KubeWatchEvent } from '../../ports/kube-api.ts';

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
   * Whole, or as it comes. A stream must be read to its end or be left early: until then it holds its
   * connection. It throws the signal's reason if that is aborted.
   */
  readonly body: string | AsyncIterable<Uint8Array>;
  /** What the body says, if it need not be read. It is somebody else's, too. */
  readonly object?: JsonObject;
  /** What the body of a watch would say, event by event; then the body is empty. */
  readonly events?: AsyncIterable<KubeWatchEvent>;
}

export interface Transport {
  /** Rejects if nobody answers, and with the signal's reason if that is aborted. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Lets go of connections. Requests that are under way fail. */
  close(): Promise<void>;
}
