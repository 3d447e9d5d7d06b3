/**
 * What makes commits durable. The store decides what a commit is; a journal writes it down.
 *
 * Preparing is apart from writing, so that a value that cannot be written fails its own commit, at
 * once, and not those that happen to be written together with it.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Version } from './version.ts';

export interface Commit {
  readonly revision: number;
  readonly writes: readonly Write[];
}

export interface Write {
  readonly key: string;
  /** Null: the object goes. */
  readonly value: JsonObject | null;
}

/** History that nobody can see any more. To forget the same thing twice is no error. */
export interface Forgotten {
  readonly floor: number;
  readonly versions: readonly Version[];
}

export interface Journal<Prepared> {
  /** How errors call it. */
  readonly place: string;
  prepare(commit: Commit): Prepared;
  /**
   * Resolves when all of it is durable. Rejects if nothing of it is, and never will be. One call at a
   * time: the next one waits for the answer.
   */
  write(commits: readonly Prepared[], forgotten: Forgotten | null): Promise<void>;
  close(): Promise<void>;
}

/** For a store that lives as long as the process: what is in memory is as durable as it gets. */
export const memoryJournal: Journal<null> = {
  place: 'the store in memory',
  prepare: () => null,
  write: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
