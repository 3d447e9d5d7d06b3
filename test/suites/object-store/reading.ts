/** What every object store guarantees to readers. */
import { expect, test } from 'vitest';
import { codeOf, keysIn, put, remove, type Open } from './world.ts';

export function testReading(open: Open): void {
  test('a new store has nothing, at revision 0', async () => {
    const { store } = await open();
    expect(store.revision).toBe(0);
    expect(store.get('/a')).toBeUndefined();
    expect(store.list('')).toEqual({ objects: [], revision: 0, remaining: 0 });
  });

  test('an object comes back with the revision that wrote it', async () => {
    const { store } = await open();
    const revision = await store.commit([put('/a', { x: 1 })]);
    expect(store.get('/a')).toEqual({ key: '/a', value: { x: 1, revision }, revision });
    expect(store.revision).toBe(revision);
  });

  test('a deleted object is gone', async () => {
    const { store } = await open();
    await store.commit([put('/a')]);
    await store.commit([remove('/a')]);
    expect(store.get('/a')).toBeUndefined();
    expect(keysIn(store, '')).toEqual([]);
  });

  test('every reader gets the same object', async () => {
    const { store } = await open();
    await store.commit([put('/a')]);
    expect(store.get('/a')).toBe(store.get('/a'));
    expect(store.list('/a').objects[0]).toBe(store.get('/a'));
  });

  test('names of Object.prototype are not keys', async () => {
    const { store } = await open();
    for (const key of ['__proto__', 'constructor', 'toString', '']) {
      expect(store.get(key)).toBeUndefined();
      await store.commit([put(key)]);
      expect(store.get(key)?.key).toBe(key);
    }
    expect(keysIn(store, '')).toEqual(['', '__proto__', 'constructor', 'toString']);
  });
}

export function testListing(open: Open): void {
  test('a prefix is text, not a path: /a takes /ab along, /a/ does not', async () => {
    const { store } = await open();
    await store.commit(['/a', '/a/x', '/a/y', '/ab', '/b', '/'].map((key) => put(key)));
    expect(keysIn(store, '/a')).toEqual(['/a', '/a/x', '/a/y', '/ab']);
    expect(keysIn(store, '/a/')).toEqual(['/a/x', '/a/y']);
    expect(keysIn(store, '/ab')).toEqual(['/ab']);
    expect(keysIn(store, '/abc')).toEqual([]);
    expect(keysIn(store, '')).toEqual(['/', '/a', '/a/x', '/a/y', '/ab', '/b']);
  });

  test('keys are in the order of their code units, in any script', async () => {
    const { store } = await open();
    const keys = ['/z', '/é', '/ö', '/日本', '/\u{1f600}', '/\ue000', '/\uffff', '/a\u0000b', '/a'];
    await store.commit(keys.map((key) => put(key)));
    expect(keysIn(store, '/')).toEqual(keys.toSorted());
    expect(keysIn(store, '/\u{1f600}')).toEqual(['/\u{1f600}']);
    for (const key of keys) expect(store.get(key)?.key).toBe(key);
  });

  test('a key that is half a character is a key like any other', async () => {
    const { store } = await open();
    await store.commit([put('/\ud83d'), put('/\ude00'), put('/\u{1f600}')]);
    expect(keysIn(store, '/')).toEqual(['/\ud83d', '/\u{1f600}', '/\ude00']);
  });

  test('pages follow each other without gap or overlap, and say what remains', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 7 }, (_, index) => `/p/${index}`);
    await store.commit([...keys, '/o', '/q'].map((key) => put(key)));
    const first = store.list('/p/', { limit: 3 });
    const second = store.list('/p/', { limit: 3, after: '/p/2' });
    const third = store.list('/p/', { limit: 3, after: '/p/5' });
    const pages = [first, second, third];
    expect(pages.map((page) => page.objects.map(({ key }) => key))).toEqual([
      keys.slice(0, 3),
      keys.slice(3, 6),
      keys.slice(6),
    ]);
    expect(pages.map(({ remaining }) => remaining)).toEqual([4, 1, 0]);
  });

  test('a page may begin behind a key that is not there', async () => {
    const { store } = await open();
    await store.commit([put('/p/a'), put('/p/c'), put('/q')]);
    const after = (key: string): readonly string[] =>
      store.list('/p/', { after: key }).objects.map((object) => object.key);
    expect(after('/p/b')).toEqual(['/p/c']);
    expect(after('/')).toEqual(['/p/a', '/p/c']);
    expect(after('/p/')).toEqual(['/p/a', '/p/c']);
    expect(after('/p/c')).toEqual([]);
    expect(after('/z')).toEqual([]);
  });

  test('a page of nothing still says how many there are', async () => {
    const { store } = await open();
    await store.commit([put('/a'), put('/b')]);
    expect(store.list('/', { limit: 0 })).toMatchObject({ objects: [], remaining: 2 });
  });
}

export function testSnapshots(open: Open): void {
  test('shows each object as it was at the revision', async () => {
    const { store } = await open();
    const first = await store.commit([put('/a', { n: 1 }), put('/b', { n: 1 })]);
    const second = await store.commit([put('/a', { n: 2 }), remove('/b')]);
    const third = await store.commit([put('/b', { n: 3 }), put('/c', { n: 3 })]);
    const at = (revision: number): unknown =>
      store.list('/', { revision }).objects.map(({ key, value }) => [key, value['n']]);
    expect(at(0)).toEqual([]);
    expect(at(first)).toEqual([
      ['/a', 1],
      ['/b', 1],
    ]);
    expect(at(second)).toEqual([['/a', 2]]);
    expect(at(third)).toEqual([
      ['/a', 2],
      ['/b', 3],
      ['/c', 3],
    ]);
    expect(store.list('/', { revision: first }).revision).toBe(first);
  });

  test('pages of one snapshot belong together while others write', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 10 }, (_, index) => `/p/${index}`);
    await store.commit(keys.map((key) => put(key)));
    const { revision, objects } = store.list('/p/', { limit: 4 });
    const found = objects.map(({ key }) => key);
    for (let after = found.at(-1); after !== undefined;) {
      await store.commit([remove(`/p/${found.length}`), put('/p/55'), put(`/p/9`)]);
      const page = store.list('/p/', { limit: 4, after, revision });
      expect(page.revision).toBe(revision);
      expect(page.remaining).toBe(10 - found.length - page.objects.length);
      expect(page.objects.every((object) => object.revision <= revision)).toBe(true);
      found.push(...page.objects.map(({ key }) => key));
      after = page.objects.at(-1)?.key;
    }
    expect(found).toEqual(keys);
  });

  test('there is none of a future revision', async () => {
    const { store } = await open();
    const revision = await store.commit([put('/a')]);
    expect(await codeOf(() => store.list('/', { revision: revision + 1 }))).toBe(
      'REVISION_TOO_NEW',
    );
  });
}
