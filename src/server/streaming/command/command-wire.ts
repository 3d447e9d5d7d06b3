/** What exec and attach need of a connection, whichever protocol carries it. */
import type { Readable, Writable } from 'node:stream';

export interface CommandWire {
  /** Null: not asked for. */
  readonly stdin: Readable | null;
  readonly stdout: Writable | null;
  readonly stderr: Writable | null;
  /** Sizes of the client's terminal, as JSON; null: there are none. */
  readonly sizes: Readable | null;
  readonly error: Writable;
  /**
   * Whether the error stream ends with a Status. Old clients expect bare text, and nothing after a success.
   */
  readonly hasStatus: boolean;
  /** Aborted when the client has left. */
  readonly gone: AbortSignal;
  /** Data written before still arrives. */
  close(): void;
}
