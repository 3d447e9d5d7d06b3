/**
 * Holds every visible object, in its current version and at every revision that is not compacted yet.
 *
 * Each key has its versions, oldest first. A snapshot at a revision shows for each key the newest version up
 * to that revision. Recent commits are kept as well, for watches that begin in the past:
 *
 *     forgotten ........ floor | commit  commit  commit ........ revision
 *
 * Compacting up to a revision (the new floor) drops the commits before it. For the keys that they changed, it
 * drops all older versions except the one that the snapshot at the floor shows. So the snapshot at the floor
 * is complete, and the state before each kept change is known.
 *
 * Only durable commits are added.
 */
import { assert } from '../../lib/assert.ts';
import type { JsonObject } from '../../lib/json.ts';
import type {
  ListOptions,
  ListPage,
  StoredObject,
  StoreEvent,
} from '../../ports/api/object-store.ts';
import type { Commit } from './journal.ts';
import { OrderedIndex } from './ordered-index.ts';
import { revisionTooNew, revisionTooOld } from './store-errors.ts';
import { Version } from './version.ts';

interface Entry {
  readonly key: string;
  readonly versions: Version[];
}

interface Moment {
  readonly revision: number;
  readonly atMs: number;
  readonly changes: readonly Step[];
}

interface Step {
  readonly before: Version | undefined;
  readonly after: Version;
}

/** The initial content of a store: all versions in the order of creation. */
export interface Past {
  readonly revision: number;
  readonly floor: number;
  readonly versions: Iterable<Version>;
}

export const NO_PAST: Past = { revision: 0, floor: 0, versions: [] };

export class Timeline {
  readonly #index = new OrderedIndex<Entry>();
  /** Oldest first. */
  #moments: Moment[] = [];
  #revision: number;
  #floor: number;

  constructor(past: Past, nowMs: number) {
    this.#revision = past.revision;
    this.#floor = past.floor;
    let steps: Step[] = [];
    let revision = 0;
    for (const version of past.versions) {
      if (version.revision !== revision) {
        this.#remember(revision, nowMs, steps);
        steps = [];
        revision = version.revision;
      }
      steps.push(this.#add(version));
    }
    this.#remember(revision, nowMs, steps);
  }

  /** The revision of the newest commit. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest snapshot that can be read. */
  get floor(): number {
    return this.#floor;
  }

  /** How many commits are kept. */
  get length(): number {
    return this.#moments.length;
  }

  /** When the oldest kept commit was made. */
  get oldestAtMs(): number | undefined {
    return this.#moments[0]?.atMs;
  }

  get(key: string): StoredObject | undefined {
    return this.#index.get(key)?.versions.at(-1)?.object ?? undefined;
  }

  /** The revision of the newest version of a key. 0: there is no such object. */
  revisionOf(key: string): number {
    const version = this.#index.get(key)?.versions.at(-1);
    return version === undefined || version.isDeletion ? 0 : version.revision;
  }

  list(prefix: string, options: ListOptions): ListPage {
    const { after, limit = Number.POSITIVE_INFINITY, revision = this.#revision } = options;
    const { strict = false } = options;
    this.#checkFloor(revision);
    if (revision > this.#revision) throw revisionTooNew({ revision, newest: this.#revision });
    const objects: StoredObject[] = [];
    let remaining = 0;
    const start = after === undefined || after < prefix ? prefix : after;
    this.#index.scan(start, (entry) => {
      if (!entry.key.startsWith(prefix)) return false;
      if (entry.key === after) return true;
      const version = versionAt(entry.versions, revision);
      if (version === undefined || version.isDeletion) return true;
      if (version.isUnreadable) return strict ? version.failList() : true;
      if (objects.length >= limit) remaining += 1;
      else if (version.object) objects.push(version.object);
      return true;
    });
    return { objects, revision, remaining };
  }

  /** Makes a commit visible, and returns its changes. */
  apply(commit: Commit, nowMs: number): readonly StoreEvent[] {
    const { revision, writes } = commit;
    assert(revision > this.#revision, `commit ${revision} came after ${this.#revision}`);
    const steps = writes.map(({ key, value }, index) =>
      this.#add(new Version(key, revision, index, value)),
    );
    this.#revision = revision;
    this.#remember(revision, nowMs, steps);
    return steps.map(eventOf);
  }

  /** Changes after a revision, oldest first, of the keys that begin with `prefix`. */
  *changesAfter(revision: number, prefix: string): Generator<StoreEvent> {
    this.#checkFloor(revision);
    // The history may be compacted while the caller reads; the caller reads what existed at the start.
    const moments = this.#moments;
    for (let at = firstAfter(moments, revision); at < moments.length; at++) {
      for (const step of moments[at]?.changes ?? []) {
        if (step.after.key.startsWith(prefix)) yield eventOf(step);
      }
    }
  }

  /**
   * The last revision to drop from the history: commits beyond `lengthMax`, or made before `beforeMs`; at
   * most `countMax` commits at once. Undefined: there is nothing to drop.
   */
  surplus(lengthMax: number, beforeMs: number, countMax: number): number | undefined {
    let count = 0;
    for (const { atMs } of this.#moments) {
      const isOver = this.#moments.length - count > lengthMax || atMs < beforeMs;
      if (!isOver || count === countMax) break;
      count += 1;
    }
    return this.#moments[count - 1]?.revision;
  }

  /** Compacts up to a revision, and returns the versions that can no longer be read. */
  forget(upTo: number): readonly Version[] {
    const floor = Math.min(upTo, this.#revision);
    if (floor <= this.#floor) return [];
    this.#floor = floor;
    const count = firstAfter(this.#moments, floor);
    const entries = new Set<Entry>();
    for (let at = 0; at < count; at++) {
      for (const { after } of this.#moments[at]?.changes ?? []) {
        const entry = this.#index.get(after.key);
        if (entry) entries.add(entry);
      }
    }
    // A new list, because a watch may be in the middle of reading the old one.
    this.#moments = this.#moments.slice(count);
    return [...entries].flatMap((entry) => this.#trim(entry, floor));
  }

  #trim(entry: Entry, floor: number): readonly Version[] {
    const { key, versions } = entry;
    const newer = firstAfter(versions, floor);
    const shown = versions[newer - 1];
    // If the oldest snapshot would show a deletion, no version is needed for it.
    const dropped = versions.splice(0, shown?.isDeletion ? newer : Math.max(newer - 1, 0));
    if (versions.length === 0) this.#index.delete(key);
    return dropped;
  }

  #add(version: Version): Step {
    const entry = this.#index.get(version.key);
    if (entry === undefined) {
      this.#index.insert({ key: version.key, versions: [version] });
      return { before: undefined, after: version };
    }
    const before = entry.versions.at(-1);
    entry.versions.push(version);
    return { before, after: version };
  }

  /** Commits that changed nothing are not kept: no watcher needs them. */
  #remember(revision: number, atMs: number, changes: readonly Step[]): void {
    if (changes.length > 0 && revision > this.#floor) {
      this.#moments.push({ revision, atMs, changes });
    }
  }

  #checkFloor(revision: number): void {
    if (revision < this.#floor) throw revisionTooOld({ revision, oldest: this.#floor });
  }
}

function eventOf({ before, after }: Step): StoreEvent {
  const { key, revision } = after;
  const last = before && lastValueOf(before);
  const value = after.object?.value ?? last ?? null;
  assert(value !== null, `${key} was deleted at ${revision} without having been there`);
  return { type: after.isDeletion ? 'delete' : 'put', key, revision, value, before: last ?? null };
}

/** Of an object that could not be decrypted, only the name is known. */
function lastValueOf(version: Version): JsonObject | undefined {
  if (!version.isUnreadable) return version.object?.value;
  const [, , , ...names] = version.key.split('/');
  const name = names.pop() ?? '';
  const [namespace] = names;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      resourceVersion: String(version.revision),
    },
  };
}

function versionAt(versions: readonly Version[], revision: number): Version | undefined {
  const newest = versions.at(-1);
  if (newest !== undefined && newest.revision <= revision) return newest;
  return versions[firstAfter(versions, revision) - 1];
}

/** The index of the first entry that is newer than the revision, in a list from old to new. */
function firstAfter(list: readonly { readonly revision: number }[], revision: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.revision ?? 0) <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
