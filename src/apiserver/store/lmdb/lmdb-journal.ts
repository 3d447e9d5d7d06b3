/**
 * Writes commits into an LMDB file: one transaction for all that wait.
 *
 * After a failure LMDB's environment may refuse everything for good, so it is closed, and opened again
 * for the next write. Should the failed transaction be in the file against LMDB's word, the next one
 * removes it.
 */
import type { Commit, Forgotten, Journal } from '../journal.ts';
import type { Past } from '../timeline.ts';
import { openEnvironment, type Environment, type Put } from './environment.ts';
import {
  encodeHead,
  encodeVersion,
  encodeVersionKey,
  FORMAT,
  HEAD_KEY,
  type Head,
} from './record.ts';

export interface PreparedCommit {
  readonly revision: number;
  readonly puts: readonly Put[];
}

export class LmdbJournal implements Journal<PreparedCommit> {
  readonly place: string;
  readonly #release: () => Promise<void>;
  /** Null: it failed, and has to be opened again. */
  #environment: Environment | null;
  /** As it is on disk. */
  #head: Head;
  /** Records of transactions that failed. */
  #leftovers: readonly Buffer[] = [];

  constructor(
    file: string,
    { revision, floor }: Past,
    environment: Environment,
    release: () => Promise<void>,
  ) {
    this.place = file;
    this.#head = { format: FORMAT, revision, floor };
    this.#environment = environment;
    this.#release = release;
  }

  prepare({ revision, writes }: Commit): PreparedCommit {
    const puts = writes.map(({ key: name, value }, index): Put => {
      const key = encodeVersionKey(revision, index);
      return [key, encodeVersion(key, name, value)];
    });
    return { revision, puts };
  }

  async write(commits: readonly PreparedCommit[], forgotten: Forgotten | null): Promise<void> {
    const head: Head = {
      format: FORMAT,
      revision: commits.at(-1)?.revision ?? this.#head.revision,
      floor: forgotten?.floor ?? this.#head.floor,
    };
    const puts = commits.flatMap((commit) => commit.puts);
    const removals = (forgotten?.versions ?? []).map(({ revision, index }) =>
      encodeVersionKey(revision, index),
    );
    await this.#transact([...puts, [HEAD_KEY, encodeHead(head)]], removals);
    this.#head = head;
  }

  async #transact(puts: readonly Put[], removals: readonly Buffer[]): Promise<void> {
    const environment = (this.#environment ??= this.#reopen());
    const unwanted = [...this.#leftovers, ...removals];
    await environment.reserve(puts, unwanted);
    try {
      await environment.write(puts, unwanted);
    } catch (error) {
      const versions = puts.map(([key]) => key).filter((key) => key !== HEAD_KEY);
      this.#leftovers = [...this.#leftovers, ...versions];
      this.#environment = null;
      await environment.close();
      throw error;
    }
    this.#leftovers = [];
  }

  /** If the file is as the last good transaction left it, the failed one left nothing behind. */
  #reopen(): Environment {
    const environment = openEnvironment(this.place);
    if (environment.get(HEAD_KEY)?.equals(encodeHead(this.#head))) this.#leftovers = [];
    return environment;
  }

  async close(): Promise<void> {
    await this.#environment?.close();
    await this.#release();
  }
}
