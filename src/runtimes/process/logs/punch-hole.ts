/** Frees the first bytes of a file on disk, so that output already in the log takes no space. */
import { execFile } from 'node:child_process';
import type { Tools } from '../machine/machine.ts';

export function punchHole({ fallocate }: Tools, file: string, bytes: number): void {
  if (fallocate === undefined) return;
  const args = ['--punch-hole', '--offset', '0', '--length', String(bytes), file];
  // On file systems without hole punching, the bytes stay until the container ends.
  execFile(fallocate, args, () => undefined);
}
