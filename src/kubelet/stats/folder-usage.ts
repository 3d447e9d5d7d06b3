/**
 * Caches the disk usage of folders. A count has to inspect every file, so each folder is counted once in a
 * period (volumeStatsAggPeriod of KubeletConfiguration), and requests meanwhile get the last count.
 * folder-walk.ts defines what counts.
 */
import type { Clock } from '../../ports/clock.ts';
import { FolderWalk } from './folder-walk.ts';

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
    // Folders of removed pods are not requested again.
    for (const [each, { sinceMs }] of this.#counted) {
      if (nowMs - sinceMs >= this.#ageMs) this.#counted.delete(each);
    }
    const known = this.#counted.get(folder);
    if (known) return known.usage;
    const usage = count(folder, this.#clock);
    this.#counted.set(folder, { sinceMs: nowMs, usage });
    return usage;
  }
}

async function count(folder: string, clock: Clock): Promise<FolderUsage | null> {
  const timeMs = clock.now();
  const walk = FolderWalk.begin(folder);
  await walk?.advance(
    () => false,
    async () => clock.turn?.(),
  );
  return walk && { timeMs, usedBytes: walk.bytes, inodesUsed: walk.inodes };
}
