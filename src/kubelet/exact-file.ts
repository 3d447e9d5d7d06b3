/**
 * A small file of podkeep's own, with just this content and just this mode.
 *
 * It is written at once, on the thread of the caller. Each step takes some millionths of a second on a
 * local disk; to hand it to another thread and back takes several times that, for every file of every
 * pod of a burst, and the other thread wants the same processor. What may be large, or wait for a disk or
 * a network, is not written like this.
 */
import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs';

export interface ExactFile {
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Closed to others until its own mode is set: the mode of a new file is cut by podkeep's mask. */
const FIRST_MODE = 0o600;

/** `flags` say what may be there already, as in open(2). */
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
