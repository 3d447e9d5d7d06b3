/** Commands that are run inside a container, and what flows between them and whoever asked. */
import type { Readable, Writable } from 'node:stream';

export interface ExecRequest {
  readonly command: readonly string[];
  /** 0: as long as it takes. */
  readonly timeoutSeconds: number;
}

export interface ExecResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly exitCode: number;
}

export interface StreamRequest {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /** Aborted when whoever asked has left. */
  readonly signal: AbortSignal;
}

export interface Streams {
  /** Null: not asked for. With a terminal there is no stderr. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Resolves with the exit code when the command has ended; an attachment: when it is over. */
  readonly ended: Promise<number>;
  resize(columns: number, rows: number): void;
}
