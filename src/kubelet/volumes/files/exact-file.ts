/**
 * Writes a small file synchronously with exact content and mode.
 *
 * Each step takes a few microseconds on a local disk; a worker thread would take several times that for
 * every file of every pod of a burst, and competes for the same cores. Files that may be large, or wait for
 * a disk or a network, are not written like this.
 */
import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs';

export interface ExactFile {
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Closed to others until its own mode is set: the umask limits the mode of a new file. */
const FIRST_MODE = 0o600;

/** `flags` say what may exist already, as in open(2). */
export function writeExactFile(
  file: string,
  flags: string | number,
  { content, mode }: ExactFile,
): void {
  const descriptor = openSync(file, flags, FIRST_MODE);
  try {
    writeFileSync(descriptor, content);
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}
