/** What every object store guarantees to writers. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { brief, codeOf, collect, keysIn, put, remove, type Open } from './world.ts';

export function testCommitting(open: Open): void {
  test('every commit gets a higher revision, and it counts for all of its objects', async () => {
    const { store } = await open();
    const first = await store.commit([put('/a'), put('/b')]);
    const second = await store.commit([put('/b'), put('/c')]);
    expect(second).toBeGreaterThan(first);
    expect(store.list('/').objects.map(({ revision }) => revision)).toEqual([
      first,
      second,
      second,
    ]);
    expect(store.get('/c')?.value).toEqual({ revision: second });
  });

  test('all changes become visible together, and not before they are durable', async () => {
    const { store } = await open();
    const committed = store.commit([put('/a'), put('/b')]);
    expect(keysIn(store, '/')).toEqual([]);
    expect(store.revision).toBe(0);
    const seen: (readonly string[])[] = [];
    store.watch('/', 0, () => void seen.push(keysIn(store, '/')));
    await committed;
    expect(seen).toEqual([
      ['/a', '/b'],
      ['/a', '/b'],
    ]);
  });

  test('commits made at once take effect in their order', async () => {
    const { store } = await open();
    const events = collect(store, '/', 0);
    const revisions = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.commit([put(`/k/${n % 7}`, { n })])),
    );
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(50);
    expect(events.map(({ revision }) => revision)).toEqual(revisions);
    expect(events.map(({ value }) => value['n'])).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('deleting a missing key changes nothing, and no watch is notified', async () => {
    const { store } = await open();
    const events = collect(store, '', 0);
    const revision = await store.commit([remove('/a'), put('/b')]);
    expect(events.map(brief)).toEqual([`put /b ${revision}`]);
    expect(store.revision).toBe(revision);
    expect(await store.commit([remove('/a')])).toBeGreaterThan(revision);
    expect(events).toHaveLength(1);
  });

  test('an empty commit gets a revision, when all before it are durable', async () => {
    const { store } = await open();
    const first = store.commit([put('/a')]);
    const second = await store.commit([]);
    expect(store.get('/a')?.revision).toBe(await first);
    expect(second).toBeGreaterThan(await first);
    expect(store.revision).toBe(second);
  });

  test('a change that cannot be made fails its commit, and no other', async () => {
    const { store } = await open();
    const broken = (): JsonObject => {
      throw new Error('no such field');
    };
    const before = store.commit([put('/a')]);
    const failing = store.commit([put('/b'), { key: '/c', make: broken }]);
    const after = store.commit([put('/d', {}, 0)]);
    await expect(failing).rejects.toThrow('no such field');
    await Promise.all([before, after]);
    expect(keysIn(store, '/')).toEqual(['/a', '/d']);
  });

  test('a commit that names a key twice is a programming error', async () => {
    const { store } = await open();
    await expect(store.commit([put('/a'), remove('/a')])).rejects.toThrow('changes /a twice');
    expect(store.revision).toBe(0);
  });

  test('its input is not changed', async () => {
    const { store } = await open();
    const value = Object.freeze({ list: Object.freeze([1]) });
    const changes = Object.freeze([Object.freeze({ key: '/a', make: () => value })]);
    await store.commit(changes);
    expect(store.get('/a')?.value).toEqual({ list: [1] });
  });
}

export function testExpectations(open: Open): void {
  test('an object must be at the revision that was expected', async () => {
    const { store } = await open();
    const first = await store.commit([put('/a', {}, 0)]);
    const second = await store.commit([put('/a', {}, first)]);
    for (const expected of [0, first, second + 1]) {
      expect(await codeOf(() => store.commit([put('/a', {}, expected)]))).toBe('STORE_CONFLICT');
      expect(await codeOf(() => store.commit([remove('/a', expected)]))).toBe('STORE_CONFLICT');
    }
    await store.commit([remove('/a', second)]);
    expect(await codeOf(() => store.commit([remove('/a', second)]))).toBe('STORE_CONFLICT');
    await store.commit([remove('/a', 0), put('/b', {}, 0)]);
    expect(keysIn(store, '/')).toEqual(['/b']);
  });

  test('a conflict names the key, the expected revision and the current one', async () => {
    const { store } = await open();
    const revision = await store.commit([put('/a')]);
    await expect(store.commit([put('/a', {}, 0)])).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
      message: `conflict: expected /a to be absent, found it at revision ${revision}`,
    });
  });

  test('one conflict fails the whole commit', async () => {
    const { store } = await open();
    await store.commit([put('/a')]);
    const events = collect(store, '', store.revision);
    expect(await codeOf(() => store.commit([put('/b'), put('/a', {}, 0)]))).toBe('STORE_CONFLICT');
    await store.commit([]);
    expect(store.get('/b')).toBeUndefined();
    expect(events).toEqual([]);
  });

  test('commits that are not durable yet count', async () => {
    const { store } = await open();
    const creating = store.commit([put('/a', { n: 1 }, 0)]);
    const again = codeOf(() => store.commit([put('/a', { n: 2 }, 0)]));
    const deleting = store.commit([remove('/a')]);
    const recreating = store.commit([put('/a', { n: 3 }, 0)]);
    expect(await again).toBe('STORE_CONFLICT');
    const [created, , recreated] = await Promise.all([creating, deleting, recreating]);
    expect(store.get('/a')).toMatchObject({ revision: recreated, value: { n: 3 } });
    expect(recreated).toBeGreaterThan(created);
  });

  test('of many writers that replace the same revision one succeeds', async () => {
    const { store } = await open();
    const revision = await store.commit([put('/a')]);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        codeOf(() => store.commit([put('/a', { n }, revision)])),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'STORE_CONFLICT')).toHaveLength(19);
    expect(store.get('/a')?.value['n']).toBe(0);
  });
}

export function testSize(open: Open): void {
  test('values come back exactly, whatever is in them', async () => {
    const { store } = await open();
    const value = JSON.parse(
      '{"b":1,"a":{"__proto__":{"x":1},"constructor":null},"n":[0,-1,1.5,1e300,9007199254740991],' +
        '"text":"\\u0000 \\ud83d\\ude00 \\ud800 é \\u2028","empty":{"":[]},"yes":true,"none":null}',
    ) as JsonObject;
    await store.commit([{ key: '/a', make: () => value }]);
    expect(JSON.stringify(store.get('/a')?.value)).toBe(JSON.stringify(value));
  });

  test('an object of a mebibyte is an object like any other', async () => {
    const { store } = await open();
    const text = 'é'.repeat(2 ** 19);
    await store.commit([put('/large', { text }), put('/small')]);
    await store.commit([put('/large', { text: `${text}!` })]);
    expect(store.get('/large')?.value['text']).toBe(`${text}!`);
    expect(store.list('/large', { revision: 1 }).objects[0]?.value['text']).toBe(text);
  });

  test('a long key is a key like any other', async () => {
    const { store } = await open();
    const key = `/${'k'.repeat(5000)}`;
    await store.commit([put(`${key}/1`), put(`${key}/2`)]);
    expect(keysIn(store, key)).toEqual([`${key}/1`, `${key}/2`]);
  });

  test('ten thousand keys come and go, in order', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 10_000 }, (_, n) => `/k/${(n * 7919) % 10_000}`);
    await Promise.all(keys.map((key) => store.commit([put(key)])));
    expect(keysIn(store, '/k/')).toEqual(keys.toSorted());
    expect(store.list('/k/', { limit: 10 }).remaining).toBe(9990);
    await Promise.all(keys.slice(100).map((key) => store.commit([remove(key)])));
    expect(keysIn(store, '/k/')).toEqual(keys.slice(0, 100).toSorted());
    expect(keysIn(store, '/k/', 10_000)).toHaveLength(10_000);
  });
}

export function testClosing(open: Open): void {
  test('waits for commits under way, and takes no more', async () => {
    const { store, clock } = await open();
    const committed = store.commit([put('/a')]);
    const closed = store.close();
    expect(await codeOf(() => store.commit([put('/b')]))).toBe('STORE_CLOSED');
    await closed;
    expect(await committed).toBe(1);
    await store.close();
    expect(clock.pending).toBe(0);
  });
}
