/**
 * Sends requests to a Kubernetes API server, which is in this process or remote.
 *
 * Every call resolves with the API's answer, or rejects: with an `ApiError` (api-client.ts) if the API
 * refused, with any other error if it could not be reached, or with the signal's reason.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | readonly JsonObject[];
  /** The content type of a patch. Absent: JSON. */
  readonly contentType?: string;
}

export interface KubeWatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

export interface KubeApi {
  send(request: KubeRequest, signal?: AbortSignal): Promise<JsonObject>;
  /** Ends when the server ends it. An ERROR event is delivered like any other. */
  watch(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncIterable<KubeWatchEvent>;
}
