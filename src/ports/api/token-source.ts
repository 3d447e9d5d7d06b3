/** Tokens with which a pod proves its identity. They expire with the pod they are bound to. */
import type { PodReference } from '../../api/pod-reference.ts';

export interface TokenSpec {
  /** Empty: the API server itself. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** As granted, which may be more or less than requested. */
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
