/** What every object store guarantees to watches. */
import { expect, test } from 'vitest';
import type { StoreEvent } from '../../../src/ports/api/object-store.ts';
import { brief, collect, put, remove, type Open } from './world.ts';

export function testWatching(open: Open): void {
  test('delivers the past before it returns, then new changes, each once', async () => {
    const { store } = await open();
    const first = await store.commit([put('/a/1')]);
    const second = await store.commit([put('/a/1'), put('/b/1'), put('/a/2')]);
    const events: StoreEvent[] = [];
    store.watch('/a/', first, (event) => void events.push(event));
    expect(events.map(brief)).toEqual([`put /a/1 ${second}`, `put /a/2 ${second}`]);
    const third = await store.commit([remove('/a/1'), put('/ab')]);
    const fourth = await store.commit([put('/a/1')]);
    expect(events.slice(2).map(brief)).toEqual([`delete /a/1 ${third}`, `put /a/1 ${fourth}`]);
  });

  test('an event has the value, and the value before', async () => {
    const { store } = await open();
    await store.commit([put('/a', { n: 1 })]);
    await store.commit([put('/a', { n: 2 })]);
    await store.commit([remove('/a')]);
    await store.commit([put('/a', { n: 4 })]);
    const seen = collect(store, '/', 0).map(({ type, value, before }) => [
      type,
      value['n'],
      before?.['n'] ?? null,
    ]);
    expect(seen).toEqual([
      ['put', 1, null],
      ['put', 2, 1],
      ['delete', 2, 2],
      ['put', 4, null],
    ]);
  });

  test('live events and replayed events are the same', async () => {
    const { store } = await open();
    const live = collect(store, '/', 0);
    await Promise.all([
      store.commit([put('/a'), put('/b')]),
      store.commit([remove('/a')]),
      store.commit([put('/a'), remove('/b')]),
    ]);
    expect(live).toHaveLength(5);
    expect(collect(store, '/', 0)).toEqual(live);
  });

  test('a watch that begins while commits are under way misses none and doubles none', async () => {
    const { store } = await open();
    const watches: StoreEvent[][] = [];
    const commits: Promise<number>[] = [];
    for (let n = 0; n < 40; n++) {
      commits.push(store.commit([put(`/k/${n}`), put('/hot')]));
      if (n % 3 === 0) await Promise.resolve();
      if (n % 5 === 0) watches.push(collect(store, '/', 0));
      if (n === 20) await commits[0];
    }
    const revisions = await Promise.all(commits);
    for (const events of watches) {
      expect(events.map(({ revision }) => revision)).toEqual(revisions.flatMap((r) => [r, r]));
    }
  });

  test('it may begin at a future revision, and then delivers the changes after that', async () => {
    const { store } = await open();
    const events = collect(store, '/', 2);
    for (let n = 1; n <= 4; n++) await store.commit([put(`/${n}`)]);
    expect(events.map(({ revision }) => revision)).toEqual([3, 4]);
  });

  test('after its end it gets no event', async () => {
    const { store } = await open();
    const events: StoreEvent[] = [];
    const stop = store.watch('/', 0, (event) => void events.push(event));
    await store.commit([put('/a')]);
    stop();
    stop();
    await store.commit([put('/b')]);
    expect(events).toHaveLength(1);
  });
}

export function testListeners(open: Open): void {
  test('all are notified of a change before any is notified of the next', async () => {
    const { store } = await open();
    const notified: string[] = [];
    for (const name of ['one', 'two']) {
      store.watch('/', 0, ({ key }) => void notified.push(`${name} ${key}`));
    }
    await Promise.all([store.commit([put('/a')]), store.commit([put('/b')])]);
    expect(notified).toEqual(['one /a', 'two /a', 'one /b', 'two /b']);
  });

  test('one that throws harms no other, and is notified of the next change', async () => {
    const { store, problems } = await open();
    let calls = 0;
    await store.commit([put('/a')]);
    store.watch('/', 0, () => {
      calls += 1;
      throw new Error('cannot listen');
    });
    const events = collect(store, '/', 0);
    await store.commit([put('/b'), put('/c')]);
    await store.commit([put('/d')]);
    expect(events).toHaveLength(4);
    expect(calls).toBe(4);
    expect(problems.map(({ key }) => key)).toEqual(['/a', '/b', '/c', '/d']);
  });

  test('one that stops in the middle of a commit gets no more of it', async () => {
    const { store } = await open();
    const notified: string[] = [];
    const stop = store.watch('/', 0, ({ key }) => {
      notified.push(key);
      stop();
    });
    await store.commit([put('/a'), put('/b')]);
    expect(notified).toEqual(['/a']);
  });

  test('one may stop another that has not been notified yet', async () => {
    const { store } = await open();
    const notified: string[] = [];
    let stop = (): void => {};
    store.watch('/', 0, () => stop());
    stop = store.watch('/', 0, ({ key }) => void notified.push(key));
    await store.commit([put('/a')]);
    expect(notified).toEqual([]);
  });

  test('one that is added in the middle of a commit gets each change once', async () => {
    const { store } = await open();
    const late: StoreEvent[][] = [];
    store.watch('/', 0, () => void late.push(collect(store, '/', 0)));
    const first = await store.commit([put('/a'), put('/b')]);
    const second = await store.commit([put('/c')]);
    const all = [`put /a ${first}`, `put /b ${first}`, `put /c ${second}`];
    expect(late.map((events) => events.map(brief))).toEqual([all, all, all]);
  });

  test('one may read and commit', async () => {
    const { store } = await open();
    let following: Promise<number> | undefined;
    store.watch('/a', 0, ({ revision }) => {
      expect(store.revision).toBe(revision);
      expect(store.get('/a')?.revision).toBe(revision);
      following = store.commit([put('/b', {}, 0)]);
    });
    const revision = await store.commit([put('/a')]);
    expect(await following).toBeGreaterThan(revision);
  });
}
