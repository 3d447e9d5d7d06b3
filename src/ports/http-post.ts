/**
 * Posts JSON to a receiver of alerts or a collector of traces. Redirects are not followed, because their
 * target would receive the token, too.
 */
export interface HttpPostRequest {
  /** `http:` or `https:`, without credentials. */
  readonly url: string;
  readonly body: string;
  /** Printable ASCII; absent: no Authorization header is sent. */
  readonly bearerToken?: string | undefined;
  /** Certificate authorities to trust, in PEM, instead of those of the system. */
  readonly ca?: string | undefined;
}

/** Resolves with the status of the answer, whatever it is. Rejects if there is none, and with the signal's reason. */
export type HttpPost = (request: HttpPostRequest, signal: AbortSignal) => Promise<number>;
