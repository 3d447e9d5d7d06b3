/**
 * What is at the top of the machine's root, which every container without an image is shown.
 *
 * A container costs a look at each of them. What a look cannot tell, whether a folder is empty and where
 * a link leads, is read again only when the look says that it may have changed.
 */
import { readdirSync, readlinkSync, type Stats } from 'node:fs';
import { lookAt } from './path-in-root.ts';

export interface Top {
  readonly name: string;
  readonly stats: Stats;
  /** Absent: it is no link. */
  readonly link?: string;
  readonly isEmpty: boolean;
}

/** Two changes that are not further apart may have the same time. */
const TICK_MS = 50;

export class MachineTops {
  readonly #known = new Map<string, Top>();

  list(nowMs: number): readonly Top[] {
    return readdirSync('/').flatMap((name) => {
      const stats = lookAt(`/${name}`);
      return stats ? [this.#topOf(name, stats, nowMs)] : [];
    });
  }

  #topOf(name: string, stats: Stats, nowMs: number): Top {
    const known = this.#known.get(name);
    if (known && isSame(known.stats, stats)) return known;
    const top = readTop(name, stats);
    // It may still change without looking different.
    if (nowMs - stats.ctimeMs > TICK_MS) this.#known.set(name, top);
    return top;
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs;
}

function readTop(name: string, stats: Stats): Top {
  if (stats.isSymbolicLink()) {
    return { name, stats, link: readlinkSync(`/${name}`), isEmpty: false };
  }
  return { name, stats, isEmpty: stats.isDirectory() && isEmpty(`/${name}`) };
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    // What we may not read, the container may not either; the layer says so.
    return false;
  }
}
