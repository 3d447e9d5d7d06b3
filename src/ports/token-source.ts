/** Tokens with which a pod proves to others who it is. They end with the pod they are bound to. */
import type { PodReference } from './pod-reference.ts';

export interface TokenSpec {
  /** Empty: the API server itself. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** What was granted, which may be more or less than what was asked for. */
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
