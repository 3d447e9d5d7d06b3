/**
 * Writes a small file synchronously with exact content and mode.
 *
 * Each step takes a few microseconds on a local disk. The thread pool of Node.js takes several times as long
 * for each file, and many pods may start at once. Files that may be large, or may wait for a disk or a
 * network, are not written like this.
 */
import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs';

export interface ExactFile {
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Only the owner may read the file until its mode is set by chmod: the umask limits the mode at creation. */
const FIRST_MODE = 0o600;

/** `flags` are those of open(2): whether the file may exist already. */
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
