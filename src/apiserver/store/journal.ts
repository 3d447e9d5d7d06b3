/**
 * Makes commits durable. The store decides what a commit is; a journal writes it.
 *
 * Preparing is separate from writing, so that a value that cannot be written fails its own commit,
 * immediately, and not those that are written together with it.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Version } from './version.ts';

export interface Commit {
  readonly revision: number;
  readonly writes: readonly Write[];
}

export interface Write {
  readonly key: string;
  /** Null: the object is deleted. */
  readonly value: JsonObject | null;
}

/** History that can no longer be read. Forgetting the same thing twice is no error. */
export interface Forgotten {
  readonly floor: number;
  readonly versions: readonly Version[];
}

export interface Journal<Prepared> {
  /** Its name in errors. */
  readonly place: string;
  prepare(commit: Commit): Prepared;
  /**
   * Resolves when all of it is durable. Rejects if nothing of it is, and never will be. One call at a time:
   * the next one waits for the result.
   */
  write(commits: readonly Prepared[], forgotten: Forgotten | null): Promise<void>;
  /** Whether the newest version of this key would be written in another way now. Absent: never. */
  isStale?(key: string): boolean;
  close(): Promise<void>;
}

/** For a store that lives as long as the process: nothing is written. */
export const memoryJournal: Journal<null> = {
  place: 'the store in memory',
  prepare: () => null,
  write: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
