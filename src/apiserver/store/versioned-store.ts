/**
 * Implements the object store on top of a journal that makes commits durable.
 *
 *     commit ──> checked, gets its revision ──> waits ──> written ──> visible ──> watchers notified
 *                                                 │          │
 *                                                 └──────────┴─ failed: it and all later ones rejected
 *
 * Group commit: one write is in progress at a time, and commits that arrive during it are written together by
 * the next one. There is no batching delay, so a single commit is written immediately. Commits become visible
 * in the order of their revisions.
 *
 * If a write fails, so do the commits that were checked against it, because the state on which they were
 * based does not exist. Their revisions are not used again.
 */
import { assert } from '../../lib/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type {
  Change,
  ListOptions,
  ListPage,
  ObjectStore,
  StoredObject,
  StoreEvent,
} from '../../ports/api/object-store.ts';
import { HistoryLimit, limitsOf, type HistoryLimits } from './history-limit.ts';
import type { Commit, Forgotten, Journal } from './journal.ts';
import { storeClosed, storeConflict, storeFailed } from './store-errors.ts';
import { Timeline, type Past } from './timeline.ts';
import { Unsettled } from './unsettled.ts';
import { Watchers } from './watchers.ts';

export interface StoreOptions extends Partial<HistoryLimits> {
  readonly clock: Clock;
  readonly log: Log;
}

interface Waiting<Prepared> {
  readonly commit: Commit;
  readonly prepared: Prepared;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: Error) => void;
}

/** Work on the journal that must not overlap with a write. */
interface Task {
  readonly run: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class VersionedStore<Prepared> implements ObjectStore {
  readonly #clock: Clock;
  readonly #journal: Journal<Prepared>;
  readonly #timeline: Timeline;
  readonly #limit: HistoryLimit;
  readonly #watchers: Watchers;
  readonly #unsettled = new Unsettled();
  #revisionGiven: number;
  #waiting: Waiting<Prepared>[] = [];
  #forgotten: Forgotten | null = null;
  #writing: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #tasks: Task[] = [];

  constructor(journal: Journal<Prepared>, past: Past, options: StoreOptions) {
    const { clock, log } = options;
    this.#clock = clock;
    this.#journal = journal;
    this.#timeline = new Timeline(past, clock.monotonic());
    this.#revisionGiven = past.revision;
    this.#watchers = new Watchers(log);
    this.#limit = new HistoryLimit(clock, limitsOf(options), this.#timeline, (upTo) =>
      this.compact(upTo),
    );
    this.#limit.plan();
  }

  get revision(): number {
    return this.#timeline.revision;
  }

  get(key: string): StoredObject | undefined {
    return this.#timeline.get(key);
  }

  isStale(key: string): boolean {
    return this.#journal.isStale?.(key) ?? false;
  }

  list(prefix: string, options: ListOptions = {}): ListPage {
    return this.#timeline.list(prefix, options);
  }

  async commit(changes: readonly Change[]): Promise<number> {
    if (this.#closing) throw storeClosed({ place: this.#journal.place });
    const changing = this.#check(changes);
    const revision = this.#revisionGiven + 1;
    const writes = changing.map(({ key, make }) => ({ key, value: make && make(revision) }));
    assert(revision === this.#revisionGiven + 1, 'a change committed another one');
    const commit: Commit = { revision, writes };
    const prepared = this.#journal.prepare(commit);
    this.#revisionGiven = revision;
    this.#unsettled.add(commit);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, prepared, resolve, reject });
      this.#startWriting();
    });
  }

  watch(prefix: string, afterRevision: number, listener: (event: StoreEvent) => void): () => void {
    const past = this.#timeline.changesAfter(afterRevision, prefix);
    return this.#watchers.add(prefix, { afterRevision, newest: this.revision }, past, listener);
  }

  compact(revision: number): void {
    const versions = this.#timeline.forget(revision);
    if (versions.length === 0) return;
    this.#forgotten = joinForgotten(this.#forgotten, { floor: this.#timeline.floor, versions });
    if (!this.#closing) this.#startWriting();
  }

  /** Runs the task when all earlier commits are on disk and no write is in progress. */
  maintain(run: () => Promise<void>): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#tasks.push({ run, resolve, reject });
      this.#startWriting();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#limit.stop();
    await this.#writing;
    this.#watchers.clear();
    await this.#journal.close();
  }

  /** Throws if an expected revision is not met. Returns only the changes that change something. */
  #check(changes: readonly Change[]): readonly Change[] {
    const keys = new Set<string>();
    return changes.filter(({ key, expected, make }) => {
      assert(!keys.has(key), `a commit changes ${key} twice`);
      keys.add(key);
      const actual = this.#unsettled.revisionOf(key) ?? this.#timeline.revisionOf(key);
      if (expected !== undefined && expected !== actual) {
        throw storeConflict({ key, expected, actual });
      }
      return make !== null || actual !== 0;
    });
  }

  #startWriting(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // All commits of the same moment share the first write.
    await Promise.resolve();
    let isWorking = true;
    while (this.#waiting.length > 0 || this.#tasks.length > 0 || (this.#forgotten && isWorking)) {
      const tasks = this.#tasks;
      this.#tasks = [];
      isWorking = await this.#writeBatch();
      for (const { run, resolve, reject } of tasks) await run().then(resolve, reject);
    }
    this.#writing = null;
  }

  /** Writes all waiting commits. False: it failed. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting;
    const forgotten = this.#forgotten;
    if (batch.length === 0 && !forgotten) return true;
    this.#waiting = [];
    this.#forgotten = null;
    try {
      const prepared = batch.map((waiting) => waiting.prepared);
      await this.#journal.write(prepared, forgotten);
    } catch (error) {
      // History that could not be dropped on disk is dropped with the next commit.
      this.#forgotten = joinForgotten(forgotten, this.#forgotten);
      if (batch.length > 0) this.#fail(batch, error);
      return false;
    }
    for (const waiting of batch) this.#publish(waiting);
    return true;
  }

  #publish({ commit, resolve }: Waiting<Prepared>): void {
    const events = this.#timeline.apply(commit, this.#clock.monotonic());
    this.#unsettled.settle(commit);
    this.#watchers.notify(events);
    resolve(commit.revision);
    if (!this.#closing) this.#limit.plan();
  }

  #fail(batch: readonly Waiting<Prepared>[], cause: unknown): void {
    const failed = [...batch, ...this.#waiting];
    this.#waiting = [];
    this.#unsettled.clear();
    for (const { reject } of failed) reject(storeFailed({ place: this.#journal.place }, cause));
  }
}

function joinForgotten(older: Forgotten | null, newer: Forgotten | null): Forgotten | null {
  if (!older || !newer) return older ?? newer;
  return { floor: newer.floor, versions: [...older.versions, ...newer.versions] };
}
