/**
 * The limits of a listener. A client that is slow, silent or greedy loses its connection, and does not
 * affect others.
 */
export interface ListenerLimits {
  /** For the TLS handshake. */
  readonly handshakeMs: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** A connection without a request. */
  readonly idleMs: number;
  /** How often requests over HTTP/1.1 are checked against the limits above. */
  readonly checkMs: number;
  readonly headerBytes: number;
  /** For the rest of a body that the answer did not wait for; then the connection is cut. */
  readonly leftoverMs: number;
  /** For a client to read some of what was sent to it; then the connection is cut. */
  readonly stallMs: number;
  /** On one connection over HTTP/2. */
  readonly streams: number;
  /** Streams of one connection over HTTP/2 that its client may give up in a second. */
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
