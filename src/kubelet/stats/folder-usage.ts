/**
 * How much room folders take on disk. To count it means to look at every file, so it is counted once
 * in a while (volumeStatsAggPeriod of KubeletConfiguration), and whoever asks meanwhile is told the last
 * count. A file with several names takes room once. Links are not followed.
 */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../ports/clock.ts';

export interface FolderUsage {
  /** When it was counted. */
  readonly timeMs: number;
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

interface Counted {
  readonly sinceMs: number;
  readonly usage: Promise<FolderUsage | null>;
}

const AGE_MS = 60_000;
const BYTES_PER_BLOCK = 512;

export class FolderUsages {
  readonly #clock: Clock;
  readonly #ageMs: number;
  readonly #counted = new Map<string, Counted>();

  constructor(clock: Clock, ageMs: number = AGE_MS) {
    this.#clock = clock;
    this.#ageMs = ageMs;
  }

  /** Null: there is no such folder. */
  of(folder: string): Promise<FolderUsage | null> {
    const nowMs = this.#clock.monotonic();
    // Folders go with their pods: nobody asks for them again.
    for (const [each, { sinceMs }] of this.#counted) {
      if (nowMs - sinceMs >= this.#ageMs) this.#counted.delete(each);
    }
    const known = this.#counted.get(folder);
    if (known) return known.usage;
    const usage = count(folder, this.#clock.now());
    this.#counted.set(folder, { sinceMs: nowMs, usage });
    return usage;
  }
}

async function count(folder: string, timeMs: number): Promise<FolderUsage | null> {
  const seen = new Set<string>();
  const total = { timeMs, usedBytes: 0, inodesUsed: 0 };
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // What is removed while it is counted takes no room any more.
    const stats = await lstat(next).catch(() => null);
    if (!stats) continue;
    const id = `${stats.dev}:${stats.ino}`;
    if (seen.has(id)) continue;
    seen.add(id);
    total.usedBytes += stats.blocks * BYTES_PER_BLOCK;
    total.inodesUsed += 1;
    if (!stats.isDirectory()) continue;
    for (const name of await readdir(next).catch(() => [])) waiting.push(path.join(next, name));
  }
  return seen.size === 0 ? null : total;
}
