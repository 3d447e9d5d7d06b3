import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { put, remove } from '../../../test/suites/object-store/world.ts';
import { promisesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { StoreEvent } from '../../ports/api/object-store.ts';
import type { Commit, Forgotten, Journal } from './journal.ts';
import { NO_PAST } from './timeline.ts';
import { VersionedStore, type StoreOptions } from './versioned-store.ts';

interface Writing {
  readonly revisions: readonly number[];
  readonly forgotten: Forgotten | null;
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

/** A journal whose writes the test completes. */
class SlowJournal implements Journal<number> {
  readonly place = 'the slow disk';
  readonly writings: Writing[] = [];
  isClosed = false;

  prepare({ revision, writes }: Commit): number {
    JSON.stringify(writes);
    return revision;
  }

  write(revisions: readonly number[], forgotten: Forgotten | null): Promise<void> {
    return new Promise((succeed, fail) => {
      this.writings.push({ revisions, forgotten, succeed, fail });
    });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** The write that is under way. */
  async current(): Promise<Writing> {
    await promisesSettled();
    const writing = this.writings.at(-1);
    if (!writing) throw new Error('nothing is being written');
    return writing;
  }
}

function openSlow(options: Partial<StoreOptions> = {}) {
  const journal = new SlowJournal();
  const clock = new VirtualClock();
  const store = new VersionedStore(journal, NO_PAST, { clock, log: silentLog, ...options });
  const notified: StoreEvent[] = [];
  store.watch('', 0, (event) => void notified.push(event));
  return { journal, store, notified, clock };
}

const BROKEN = new Error('EIO');

describe('writing together', () => {
  test('a single commit is written immediately', async () => {
    const { journal, store } = openSlow();
    const committed = store.commit([put('/a')]);
    await Promise.resolve();
    await Promise.resolve();
    expect(journal.writings).toHaveLength(1);
    journal.writings[0]?.succeed();
    expect(await committed).toBe(1);
  });

  test('all commits of one moment are written together', async () => {
    const { journal, store } = openSlow();
    const commits = [1, 2, 3].map((n) => store.commit([put(`/${n}`)]));
    const { revisions, succeed } = await journal.current();
    expect(revisions).toEqual([1, 2, 3]);
    succeed();
    expect(await Promise.all(commits)).toEqual([1, 2, 3]);
  });

  test('commits during a write wait for it, and are written together then', async () => {
    const { journal, store } = openSlow();
    const first = store.commit([put('/a')]);
    const one = await journal.current();
    const rest = [2, 3].map((n) => store.commit([put(`/${n}`)]));
    expect((await journal.current()).revisions).toEqual([1]);
    one.succeed();
    await first;
    const two = await journal.current();
    expect(two.revisions).toEqual([2, 3]);
    expect(store.revision).toBe(1);
    two.succeed();
    await Promise.all(rest);
    expect(journal.writings).toHaveLength(2);
  });

  test('a commit that waits still counts when the one before it is written', async () => {
    const { journal, store } = openSlow();
    const first = store.commit([put('/a', {}, 0)]);
    const one = await journal.current();
    const second = store.commit([put('/a', {}, 1)]);
    one.succeed();
    await first;
    await expect(store.commit([put('/a', {}, 1)])).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
      message: 'conflict: expected /a to be at revision 1, found it at revision 2',
    });
    (await journal.current()).succeed();
    expect(await second).toBe(2);
  });

  test('nothing is visible or reported before it is written', async () => {
    const { journal, store, notified } = openSlow();
    const committed = store.commit([put('/a')]);
    const { succeed } = await journal.current();
    expect(store.get('/a')).toBeUndefined();
    expect(store.list('/').objects).toEqual([]);
    expect(notified).toEqual([]);
    succeed();
    await committed;
    expect(notified).toHaveLength(1);
    expect(store.get('/a')?.revision).toBe(1);
  });
});

describe('a write that fails', () => {
  test('fails its commits, and nothing of them is ever visible', async () => {
    const { journal, store, notified } = openSlow();
    const commits = [store.commit([put('/a'), put('/b')]), store.commit([put('/c')])];
    (await journal.current()).fail(BROKEN);
    for (const committed of commits) {
      await expect(committed).rejects.toMatchObject({
        code: 'STORE_FAILED',
        retry: 'backoff',
        message: 'the change could not be written to the slow disk, and was not made',
        cause: BROKEN,
      });
    }
    expect(store.list('').objects).toEqual([]);
    expect(store.revision).toBe(0);
    expect(notified).toEqual([]);
  });

  test('fails commits that were checked against it, without writing them', async () => {
    const { journal, store } = openSlow();
    const first = store.commit([put('/a', {}, 0)]);
    const writing = await journal.current();
    const onTop = store.commit([put('/a', {}, 1)]);
    writing.fail(BROKEN);
    await expect(first).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(onTop).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await promisesSettled();
    expect(journal.writings).toHaveLength(1);
  });

  test('keeps the state before it, and the next commit is checked against that', async () => {
    const { journal, store, notified } = openSlow();
    const created = store.commit([put('/a', { n: 1 })]);
    (await journal.current()).succeed();
    await created;
    const failing = [store.commit([remove('/a', 1)]), store.commit([put('/b', {}, 0)])];
    (await journal.current()).fail(BROKEN);
    await Promise.allSettled(failing);
    expect(store.get('/a')?.value).toEqual({ n: 1, revision: 1 });
    const replaced = store.commit([put('/a', { n: 2 }, 1), put('/b', {}, 0)]);
    (await journal.current()).succeed();
    const revision = await replaced;
    expect(notified.map((event) => event.revision)).toEqual([1, revision, revision]);
  });

  test('its revisions are never used again', async () => {
    const { journal, store } = openSlow();
    const failing = [store.commit([put('/a')]), store.commit([put('/a')])];
    (await journal.current()).fail(BROKEN);
    await Promise.allSettled(failing);
    const committed = store.commit([put('/a')]);
    (await journal.current()).succeed();
    expect(await committed).toBe(3);
    expect(store.revision).toBe(3);
  });

  test('one that only forgets history fails no commit, and is repeated with the next one', async () => {
    const { journal, store } = openSlow();
    const commits = [store.commit([put('/a')]), store.commit([put('/a')])];
    (await journal.current()).succeed();
    await Promise.all(commits);
    store.compact(2);
    const lost = await journal.current();
    expect(lost.revisions).toEqual([]);
    lost.fail(BROKEN);
    const committed = store.commit([put('/b')]);
    const writing = await journal.current();
    expect(writing.forgotten?.floor).toBe(2);
    expect(writing.forgotten?.versions.map(({ revision }) => revision)).toEqual([1]);
    writing.succeed();
    await committed;
  });
});

test('a value that cannot be written fails only its own commit', async () => {
  const { journal, store } = openSlow();
  const circle: Record<string, never> = {};
  Object.assign(circle, { circle });
  const good = store.commit([put('/a')]);
  const bad = store.commit([{ key: '/b', make: () => circle }]);
  const better = store.commit([put('/b', {}, 0)]);
  await expect(bad).rejects.toThrow('circular');
  const { revisions, succeed } = await journal.current();
  expect(revisions).toEqual([1, 2]);
  succeed();
  await Promise.all([good, better]);
});

test('closing waits for the write that is under way, then closes the journal', async () => {
  const { journal, store } = openSlow();
  const committed = store.commit([put('/a')]);
  const { succeed } = await journal.current();
  const closed = store.close();
  await promisesSettled();
  expect(journal.isClosed).toBe(false);
  succeed();
  await closed;
  expect(journal.isClosed).toBe(true);
  expect(await committed).toBe(1);
});

test('old history is forgotten with one write, not with one for each commit', async () => {
  const { journal, store, clock } = openSlow({ historyMs: 1000 });
  const commits = Array.from({ length: 50 }, () => store.commit([put('/hot')]));
  (await journal.current()).succeed();
  await Promise.all(commits);
  await clock.pass(1100);
  const { forgotten } = await journal.current();
  expect(journal.writings).toHaveLength(2);
  expect(forgotten?.versions).toHaveLength(49);
});
