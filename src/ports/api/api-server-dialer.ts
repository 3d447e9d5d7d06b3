/**
 * Connections from the API server to the API servers that APIServices name (kube-aggregator's backends).
 *
 * On each connection the API server presents the client certificate of the front proxy; because of this
 * certificate, the aggregated server trusts the X-Remote- headers. An administrator chooses the aggregated
 * server, but another party may run it: its redirects are not followed, and its certificate is verified for
 * the name of its Service.
 */
import type { ApiResponse, Connection } from './http-handler.ts';

export interface ApiServerBackend {
  readonly host: string;
  readonly port: number;
  /** For which the certificate must be valid, and the Host header. */
  readonly serverName: string;
  /** PEM of the authorities; null: those of the system. */
  readonly caBundle: string | null;
  /** The certificate is not verified, because the APIService says so. */
  readonly isInsecure: boolean;
}

export interface BackendRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** A name may occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Null: there is none. */
  readonly body: Uint8Array | null;
  /** Ends the request, also while its answer is being read. */
  readonly signal: AbortSignal;
}

/** Both reject with an Error whose message is Go's for the same failure: it is shown to clients. */
export interface ApiServerDialer {
  fetch(backend: ApiServerBackend, request: BackendRequest): Promise<ApiResponse>;
  /**
   * Asks the backend to upgrade, and joins the two connections if it agrees. Its refusal is passed to the
   * client. Rejects only as long as nothing has been sent to the client.
   */
  connect(
    backend: ApiServerBackend,
    request: BackendRequest,
    connection: Connection,
  ): Promise<void>;
}
