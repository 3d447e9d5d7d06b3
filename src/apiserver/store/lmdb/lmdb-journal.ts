/**
 * Writes commits to an LMDB file, all waiting commits in one transaction.
 *
 * After a failure LMDB's environment may refuse all further calls, so it is closed, and opened again for the
 * next write. If the failed transaction is in the file nevertheless, contrary to LMDB's guarantee, the next
 * transaction removes it.
 *
 * This file encrypts objects before it writes them. When the encryption changes, the whole file is rewritten
 * (store-file.ts). Until that is done every object counts as stale, and the head record names no encryption,
 * so that a restart in between rewrites the file again.
 */
import type { Encryption } from '../../at-rest/encryption.ts';
import type { Commit, Forgotten, Journal } from '../journal.ts';
import { openEnvironment, type Environment, type Put } from './environment.ts';
import type { Loaded } from './load.ts';
import {
  encodeHead,
  encodeVersion,
  encodeVersionKey,
  FORMAT,
  HEAD_KEY,
  type Head,
} from './record.ts';
import { resealFile } from './store-file.ts';

export interface PreparedCommit {
  readonly revision: number;
  readonly puts: readonly Put[];
  /** The keys of the objects that the commit writes. Empty if nothing is encrypted. */
  readonly names: readonly string[];
}

/** Objects whose next write changes them on disk, even if the object itself does not change. */
type Stale = 'all' | Set<string>;

export class LmdbJournal implements Journal<PreparedCommit> {
  readonly place: string;
  readonly #release: () => Promise<void>;
  /** Null: it failed, and must be opened again. */
  #environment: Environment | null;
  /** The head record as it is on disk. */
  #head: Head;
  /** The keys of records of failed transactions. */
  #leftovers: readonly Buffer[] = [];
  /** Null: nothing is encrypted. */
  #encryption: Encryption | null;
  #stale: Stale;

  constructor(
    file: string,
    { revision, floor, format, sealing, values }: Loaded,
    encryption: Encryption | null,
    environment: Environment,
    release: () => Promise<void>,
  ) {
    this.place = file;
    this.#encryption = encryption;
    this.#stale = new Set(values.staleNames);
    // New writes use this encryption; stored objects may have another.
    const isSealed = encryption !== null && sealing === encryption.fingerprint;
    this.#head = {
      format: encryption ? FORMAT : format,
      revision,
      floor,
      ...(isSealed && { sealing }),
    };
    this.#environment = environment;
    this.#release = release;
  }

  prepare({ revision, writes }: Commit): PreparedCommit {
    const encryption = this.#encryption;
    const seal = encryption
      ? (name: string, text: Buffer): Buffer => encryption.seal(name, text)
      : undefined;
    const puts = writes.map(({ key: name, value }, index): Put => {
      const key = encodeVersionKey(revision, index);
      return [key, encodeVersion(key, name, value, seal)];
    });
    return { revision, puts, names: encryption ? writes.map(({ key }) => key) : [] };
  }

  isStale(name: string): boolean {
    return this.#stale === 'all' || this.#stale.has(name);
  }

  /** From now on, commits are prepared with this encryption; `reseal` rewrites the rest. */
  switchTo(encryption: Encryption): void {
    this.#encryption = encryption;
    this.#stale = 'all';
    const { sealing: _gone, ...head } = this.#head;
    this.#head = { ...head, format: FORMAT };
  }

  /** Rewrites the whole file with the current encryption. No write may be in progress. */
  async reseal(): Promise<void> {
    const encryption = this.#encryption;
    if (!encryption) return;
    const { unreadable } = await resealFile(this.place, encryption, async () => {
      const environment = this.#environment;
      this.#environment = null;
      await environment?.close();
    });
    // If the encryption was switched again in the meantime, the next call repeats this.
    if (encryption !== this.#encryption) return;
    this.#head = { ...this.#head, format: FORMAT, sealing: encryption.fingerprint };
    this.#stale = new Set(unreadable);
  }

  async write(commits: readonly PreparedCommit[], forgotten: Forgotten | null): Promise<void> {
    const head: Head = {
      ...this.#head,
      revision: commits.at(-1)?.revision ?? this.#head.revision,
      floor: forgotten?.floor ?? this.#head.floor,
    };
    const puts = commits.flatMap((commit) => commit.puts);
    const removals = (forgotten?.versions ?? []).map(({ revision, index }) =>
      encodeVersionKey(revision, index),
    );
    await this.#transact([...puts, [HEAD_KEY, encodeHead(head)]], removals);
    this.#head = { ...this.#head, revision: head.revision, floor: head.floor };
    if (this.#stale === 'all' || this.#stale.size === 0) return;
    for (const name of commits.flatMap((commit) => commit.names)) this.#stale.delete(name);
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

  /** If the file is as the last successful transaction left it, the failed one left nothing behind. */
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
