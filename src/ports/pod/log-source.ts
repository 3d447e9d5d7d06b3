/**
 * Reads the log of one run of a container, from a file on disk or from the memory of a runtime.
 *
 * A log is bytes in the CRI format. It only grows, until it is rotated: then the bytes continue in another
 * file under the same name, and a reader that has the old file open can still read it to its end.
 */
import type { ContainerRun } from './pod-files.ts';

export interface LogSource {
  /** The newest file of the log. Null: there is none. */
  open(run: ContainerRun): Promise<LogFile | null>;
  /** Calls `changed` when something was written or rotated, as far as that can be detected. */
  watch(run: ContainerRun, changed: () => void): () => void;
  /** For messages. */
  nameOf(run: ContainerRun): string;
}

export interface LogFile {
  size(): Promise<number>;
  /** At most `length` bytes from there on; fewer only at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Another file has taken its name. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
}
