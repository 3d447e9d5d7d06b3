/**
 * The front proxy: the identity by which aggregated API servers recognize this API server. They trust what it
 * says about the user of a request.
 */
import type { ApiServerDialer } from '../../ports/api/api-server-dialer.ts';

export interface FrontProxy {
  /** PEM of its own authority, which signs nothing but its client certificate. */
  readonly caCert: string;
  /** The common name of the client certificate. */
  readonly name: string;
  /** Connections that show the certificate; made at the first request to an aggregated API server. */
  dialer(): Promise<ApiServerDialer>;
}

/** Opens it once, when it is first needed. */
export type OpenFrontProxy = () => Promise<FrontProxy>;
