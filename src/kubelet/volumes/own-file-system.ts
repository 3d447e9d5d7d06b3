/**
 * Is a folder a file system of its own? Memory that is mounted always is one, and the folder itself tells.
 * The list of all mounts of the machine tells more, but is long, and longer with each pod.
 */
import { lstatSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** As the kernel knows tmpfs. */
const TMPFS = 0x0102_1994;

/**
 * The folder is there. A link is none, wherever it leads. False: it may still be mounted, from elsewhere
 * in the file system that it lies in.
 */
export function isOwnFileSystem(folder: string): boolean {
  return lstatSync(folder).dev !== statSync(path.dirname(folder)).dev;
}

export function isMountedMemory(folder: string): boolean {
  return isOwnFileSystem(folder) && statfsSync(folder).type === TMPFS;
}
