/**
 * Calls webhooks: one POST of JSON over TLS, and its answer.
 *
 * An administrator chooses the webhook server, but another party may run it: it gets no credentials of the
 * API server, its redirects are not followed, and its answer has a limit in bytes and in time.
 */

export interface WebhookCall {
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  /** For which the certificate must be valid, and the Host header. */
  readonly serverName: string;
  /** PEM of the authorities; null: those of the system. */
  readonly caBundle: string | null;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

export interface WebhookClient {
  /** Rejects with an Error whose message is Go's for the same failure: it is shown to clients. */
  post(call: WebhookCall): Promise<WebhookAnswer>;
}
