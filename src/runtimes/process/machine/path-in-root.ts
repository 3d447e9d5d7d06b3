/**
 * Resolves a path as a program inside a root folder would: a link to /run means that root's /run. podkeep
 * uses it to read files of images, such as /etc/passwd, because the kernel would follow links out of the
 * root.
 */
import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';

const LINKS_MAX = 40;

/** Throws if there are too many links: the kernel would follow the remaining ones out of the root. */
export function resolveInRoot(root: string, target: string): string {
  let links = 0;
  let done = '/';
  const waiting = partsOf(target);
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const next = part === '..' ? path.dirname(done) : path.join(done, part);
    const link = readLink(path.join(root, next));
    if (link === undefined) {
      done = next;
      continue;
    }
    links += 1;
    if (links > LINKS_MAX) throw new Error(`${target} leads through too many links`);
    waiting.unshift(...partsOf(link));
    if (link.startsWith('/')) done = '/';
  }
  return done;
}

function partsOf(target: string): string[] {
  return target.split('/').filter((part) => part !== '' && part !== '.');
}

/** Undefined: the file is not a link, or not accessible. */
function readLink(file: string): string | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** Stats the file of this machine that a path leads to, following links. */
export function lookThrough(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
