/**
 * Requests service account tokens for pods. A token is bound to its pod, and becomes invalid when the pod is
 * deleted.
 */
import type { PodReference } from '../../api/pod-reference.ts';

export interface TokenSpec {
  /** Empty: the token is for the API server itself. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** The granted lifetime, which may be longer or shorter than the requested one. */
  readonly expirationSeconds: number;
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number;
}

export interface TokenSource {
  request(
    namespace: string,
    account: string,
    spec: TokenSpec,
    pod: PodReference,
    signal?: AbortSignal,
  ): Promise<ServiceAccountToken>;
}
