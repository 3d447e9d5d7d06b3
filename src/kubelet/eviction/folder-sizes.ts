/**
 * Measures the sizes of many folders, with a limited amount of work at a time.
 *
 *     refresh ──> folders take turns ──> finished: the size is new, the folder rests
 *                       └─────────> timeout: the old size stays, the walk continues next time
 *
 * A refresh ends after one second, and each folder gets at most a tenth of a second per turn, so that a
 * folder with millions of files does not block the others. After it was measured, a folder is not measured
 * again for twenty times as long as that took, so that it costs a twentieth of one CPU at most. (Kubernetes'
 * kubelet measures every volume once a minute, however long that takes.)
 */
import type { Clock } from '../../ports/clock.ts';
import { FolderWalk } from '../stats/folder-walk.ts';

export interface FolderSize {
  readonly bytes: number;
  readonly inodes: number;
}

interface Measured {
  readonly walk: FolderWalk | null;
  /** Of the current walk: how long it took until now. */
  readonly workMs: number;
  /** Of the last finished walk. Undefined: there was none, or there was no such folder. */
  readonly size: FolderSize | undefined;
  readonly restsUntilMs: number;
}

const REFRESH_MS = 1000;
const TURN_MS = 100;
const REST_FACTOR = 20;
const NEW: Measured = { walk: null, workMs: 0, size: undefined, restsUntilMs: 0 };

export class FolderSizes {
  readonly #clock: Clock;
  /** The folder with the oldest turn comes first. */
  readonly #folders = new Map<string, Measured>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The size according to the last finished walk. */
  sizeOf(folder: string): FolderSize | undefined {
    return this.#folders.get(folder)?.size;
  }

  /**
   * A lower bound of the size: what an unfinished walk has counted so far, if that is more than the last
   * size.
   */
  sizeSoFar(folder: string): FolderSize | undefined {
    const { size, walk } = this.#folders.get(folder) ?? NEW;
    if (!walk) return size;
    const { bytes, inodes } = size ?? { bytes: 0, inodes: 0 };
    return { bytes: Math.max(bytes, walk.bytes), inodes: Math.max(inodes, walk.inodes) };
  }

  /** Measures these folders and forgets all others. An aborted signal ends it early. */
  async refresh(folders: readonly string[], signal: AbortSignal): Promise<void> {
    const wanted = new Set(folders);
    for (const folder of this.#folders.keys()) {
      if (!wanted.has(folder)) await this.#forget(folder);
    }
    for (const folder of wanted) {
      if (!this.#folders.has(folder)) this.#folders.set(folder, NEW);
    }
    const startMs = this.#clock.monotonic();
    const isOver = (): boolean => signal.aborted || this.#clock.monotonic() - startMs >= REFRESH_MS;
    const turns = [...this.#folders]
      .filter(([, { restsUntilMs }]) => restsUntilMs <= startMs)
      .map(([folder]) => folder);
    for (let folder = turns.shift(); folder !== undefined; folder = turns.shift()) {
      if (isOver()) return;
      const isFinished = await this.#takeTurn(folder, isOver);
      if (!isFinished) turns.push(folder);
    }
  }

  async stop(): Promise<void> {
    for (const folder of this.#folders.keys()) await this.#forget(folder);
  }

  async #takeTurn(folder: string, isOver: () => boolean): Promise<boolean> {
    const before = this.#folders.get(folder) ?? NEW;
    const walk = before.walk ?? FolderWalk.begin(folder);
    const startMs = this.#clock.monotonic();
    const passedMs = (): number => this.#clock.monotonic() - startMs;
    const isFinished =
      (await walk?.advance(
        () => isOver() || passedMs() >= TURN_MS,
        async () => this.#clock.turn?.(),
      )) ?? /* nothing is there */ true;
    const workMs = before.workMs + passedMs();
    const nowMs = this.#clock.monotonic();
    // Set again, it goes to the end of the queue.
    this.#folders.delete(folder);
    this.#folders.set(
      folder,
      isFinished
        ? {
            ...NEW,
            size: walk ? sizeOf(walk) : undefined,
            restsUntilMs: nowMs + workMs * REST_FACTOR,
          }
        : { ...before, walk, workMs },
    );
    return isFinished;
  }

  async #forget(folder: string): Promise<void> {
    const walk = this.#folders.get(folder)?.walk;
    this.#folders.delete(folder);
    walk?.stop();
  }
}

function sizeOf({ bytes, inodes }: FolderWalk): FolderSize {
  return { bytes, inodes };
}
