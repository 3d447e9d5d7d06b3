/**
 * A small file of podkeep's own, with just this content and just this mode.
 *
 * To fill an open file takes some millionths of a second; to hand each step of it to another thread and
 * back takes several times that, for every file of every pod of a burst. So it is done at once. A new
 * name is done at once only where it costs as little, in memory: a disk takes its time for it, and other
 * pods go on meanwhile.
 */
import { closeSync, fchmodSync, open, openSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ExactFile {
  readonly content: string | Uint8Array;
  readonly mode: number;
}

/** Closed to others until its own mode is set: the mode of a new file is cut by podkeep's mask. */
const FIRST_MODE = 0o600;
const opened: (file: string, flags: string | number, mode: number) => Promise<number> =
  promisify(open);

/** On the disk. `flags` say what may be there already, as in open(2). */
export async function writeExactFile(
  file: string,
  flags: string | number,
  exact: ExactFile,
): Promise<void> {
  fill(await opened(file, flags, FIRST_MODE), exact);
}

/** The same, where it costs next to nothing. */
export function writeExactFileNow(file: string, flags: string | number, exact: ExactFile): void {
  fill(openSync(file, flags, FIRST_MODE), exact);
}

function fill(descriptor: number, { content, mode }: ExactFile): void {
  try {
    writeFileSync(descriptor, content);
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}
