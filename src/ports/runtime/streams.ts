/** Commands that run inside a container (exec, attach), and the streams between them and the client. */
import type { Readable, Writable } from 'node:stream';

export interface ExecRequest {
  readonly command: readonly string[];
  /** 0: no timeout. */
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
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface Streams {
  /** Null: not requested. With a terminal there is no stderr. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Resolves with the exit code when the command has ended, or when an attachment has. */
  readonly ended: Promise<number>;
  resize(columns: number, rows: number): void;
}
