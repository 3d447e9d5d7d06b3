/** The streams that exec and attach need, independent of the protocol (SPDY or WebSocket). */
import type { Readable, Writable } from 'node:stream';

export interface CommandWire {
  /** Null: the client did not ask for it. */
  readonly stdin: Readable | null;
  readonly stdout: Writable | null;
  readonly stderr: Writable | null;
  /** Sizes of the client's terminal, as JSON. Null: the client sends none. */
  readonly sizes: Readable | null;
  readonly error: Writable;
  /**
   * Whether the error stream ends with a Status. Old clients expect bare text, and nothing after a success.
   */
  readonly hasStatus: boolean;
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
  /** Data written before still arrives. */
  close(): void;
}
