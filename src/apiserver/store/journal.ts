/**
 * The interface that makes commits durable: the store builds a commit, a journal writes it.
 *
 * Preparing is separate from writing, so that a value that cannot be serialized fails only its own commit,
 * immediately, and not the commits that are written together with it.
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

/** History that can no longer be read. Dropping the same commit twice is not an error. */
export interface Forgotten {
  readonly floor: number;
  readonly versions: readonly Version[];
}

export interface Journal<Prepared> {
  /** The journal's name in error messages. */
  readonly place: string;
  prepare(commit: Commit): Prepared;
  /**
   * Resolves when all commits are durable. Rejects if none is, and none ever will be. Called once at a time:
   * the next call waits for the result.
   */
  write(commits: readonly Prepared[], forgotten: Forgotten | null): Promise<void>;
  /**
   * Whether the newest version of this key would be written differently now (other encryption). Absent:
   * never.
   */
  isStale?(key: string): boolean;
  close(): Promise<void>;
}

/** For a store that lives only as long as the process: writes nothing. */
export const memoryJournal: Journal<null> = {
  place: 'the store in memory',
  prepare: () => null,
  write: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
