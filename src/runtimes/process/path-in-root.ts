/**
 * Follows links the way a program inside a root folder would: a link to /run means that root's /run.
 *
 * Mount points are made before the root is put together, so the kernel cannot be asked; and asking it
 * from outside would follow links out of the root.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
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

function readLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** What is at a path itself; undefined: nothing that we can see. */
export function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}
