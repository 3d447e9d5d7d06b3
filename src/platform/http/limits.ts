/**
 * The limits of a listener: a client that is slow, silent or greedy is disconnected, and does not affect
 * others.
 */
export interface ListenerLimits {
  /** The timeout of the TLS handshake. */
  readonly handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** How long a connection may be without a request. */
  readonly idleMs: number;
  /** How often requests over HTTP/1.1 are checked against the limits above. */
  readonly checkMs: number;
  readonly headerBytes: number;
  /** How long a client may still send a body that the answer did not wait for; then it is disconnected. */
  readonly leftoverMs: number;
  /** How long a client may read nothing of what was sent to it; then it is disconnected. */
  readonly stallMs: number;
  /** Concurrent streams of one HTTP/2 connection. */
  readonly streams: number;
  /** How many streams of one HTTP/2 connection the client may reset per second. */
  readonly resetsPerSecond: number;
  /** How long a closing listener waits for answers under way. */
  readonly closeMs: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  handshakeMs: 10_000,
  headersMs: 20_000,
  requestMs: 60_000,
  idleMs: 90_000,
  checkMs: 5_000,
  headerBytes: 64 * 1024,
  leftoverMs: 5_000,
  stallMs: 300_000,
  streams: 100,
  resetsPerSecond: 300,
  closeMs: 2_000,
};
