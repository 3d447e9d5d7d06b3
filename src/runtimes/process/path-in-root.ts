/**
 * Follows links the way a program inside a root folder would: a link to /run means that root's /run.
 *
 * Mount points are made before the root is put together, so the kernel cannot be asked; and asking it
 * from outside would follow links out of the root.
 */
import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';

const LINKS_MAX = 40;

/** `isOpaque`: what lies there is made by us, and has no links. */
export function resolveInRoot(
  root: string,
  target: string,
  isOpaque: (file: string) => boolean = () => false,
): string {
  let links = 0;
  let done = '/';
  const waiting = partsOf(target);
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const next = part === '..' ? path.dirname(done) : path.join(done, part);
    const link = isOpaque(next) ? undefined : readLink(path.join(root, next));
    if (link === undefined || links >= LINKS_MAX) {
      done = next;
      continue;
    }
    links += 1;
    waiting.unshift(...partsOf(link));
    if (link.startsWith('/')) done = '/';
  }
  return done;
}

function partsOf(target: string): string[] {
  return target.split('/').filter((part) => part !== '' && part !== '.');
}

/** Most paths have no links, and to be told so by an error takes ten times as long. */
function readLink(file: string): string | undefined {
  if (!lookAt(file)?.isSymbolicLink()) return undefined;
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** What is at a path itself; undefined: nothing that we can see. */
export function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What a path of this machine leads to. */
export function lookThrough(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
