/**
 * Whether a folder is a file system of its own: a mounted tmpfs always is, and a stat of the folder shows
 * it. The list of all mounts shows more, but is long, and grows with each pod.
 */
import { lstatSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** The kernel's number of tmpfs. */
const TMPFS = 0x0102_1994;

/**
 * The folder must exist. A link is none, whatever its target. False: the folder may still be a bind mount
 * from the same file system.
 */
export function isOwnFileSystem(folder: string): boolean {
  return lstatSync(folder).dev !== statSync(path.dirname(folder)).dev;
}

export function isMountedMemory(folder: string): boolean {
  return isOwnFileSystem(folder) && statfsSync(folder).type === TMPFS;
}
