/**
 * Finds out with one stat whether a folder is a file system of its own, as a mounted tmpfs is. Reading the
 * list of all mounts is slower, because it grows with each pod.
 */
import { lstatSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** The kernel's magic number of tmpfs. */
const TMPFS = 0x0102_1994;

/**
 * The folder must exist. For a link the result is false, whatever its target. False: the folder may still be
 * a bind mount from the same file system.
 */
export function isOwnFileSystem(folder: string): boolean {
  return lstatSync(folder).dev !== statSync(path.dirname(folder)).dev;
}

export function isMountedMemory(folder: string): boolean {
  return isOwnFileSystem(folder) && statfsSync(folder).type === TMPFS;
}
