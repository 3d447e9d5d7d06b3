/** How long an object store keeps its history. */
import { expect, test } from 'vitest';
import { brief, codeOf, collect, keysIn, put, remove, type Open } from './world.ts';

export function testForgetting(open: Open): void {
  test('a compacted revision cannot be listed or watched, later ones can', async () => {
    const { store } = await open();
    const revisions: number[] = [];
    for (let n = 0; n < 5; n++)
      revisions.push(await store.commit([put('/a', { n }), put(`/${n}`)]));
    const floor = revisions[2] ?? 0;
    store.compact(floor);
    for (const revision of [0, ...revisions.slice(0, 2)]) {
      expect(await codeOf(() => store.list('/', { revision }))).toBe('REVISION_TOO_OLD');
      expect(await codeOf(() => store.watch('/', revision, () => {}))).toBe('REVISION_TOO_OLD');
    }
    expect(keysIn(store, '/', floor)).toEqual(['/0', '/1', '/2', '/a']);
    expect(
      collect(store, '/a', floor).map(({ value, before }) => [value['n'], before?.['n']]),
    ).toEqual([
      [3, 2],
      [4, 3],
    ]);
  });

  test('the objects stay as they are', async () => {
    const { store } = await open();
    await store.commit([put('/a'), put('/b')]);
    await store.commit([remove('/b'), put('/c')]);
    const before = store.list('/');
    store.compact(store.revision);
    expect(store.list('/')).toEqual(before);
    const revision = await store.commit([put('/b', {}, 0)]);
    expect(collect(store, '/b', before.revision).map(brief)).toEqual([`put /b ${revision}`]);
  });

  test('compacting a compacted revision, or a future one, does no harm', async () => {
    const { store } = await open();
    const first = await store.commit([put('/a')]);
    const second = await store.commit([put('/a')]);
    store.compact(second + 100);
    store.compact(first);
    expect(keysIn(store, '/', second)).toEqual(['/a']);
    const third = await store.commit([put('/a')]);
    expect(collect(store, '/', second).map(brief)).toEqual([`put /a ${third}`]);
  });

  test('a watch continues across it, even in the middle of replaying the past', async () => {
    const { store } = await open();
    for (let n = 0; n < 4; n++) await store.commit([put('/a', { n })]);
    const notified: unknown[] = [];
    store.watch('/', 0, ({ value }) => {
      notified.push(value['n']);
      store.compact(store.revision);
    });
    await store.commit([put('/a', { n: 4 })]);
    expect(notified).toEqual([0, 1, 2, 3, 4]);
  });
}

export function testLimits(open: Open): void {
  test('old history is compacted, a little after its time', async () => {
    const { store, clock } = await open({ historyMs: 60_000 });
    const first = await store.commit([put('/a')]);
    await clock.pass(30_000);
    const second = await store.commit([put('/a')]);
    await clock.pass(30_000);
    expect(keysIn(store, '/', first)).toEqual(['/a']);
    expect(collect(store, '/', 0)).toHaveLength(2);
    await clock.pass(6_000);
    expect(await codeOf(() => store.watch('/', 0, () => {}))).toBe('REVISION_TOO_OLD');
    expect(collect(store, '/', first).map(brief)).toEqual([`put /a ${second}`]);
    await clock.pass(66_000);
    expect(await codeOf(() => store.list('/', { revision: first }))).toBe('REVISION_TOO_OLD');
    expect(keysIn(store, '/', second)).toEqual(['/a']);
    expect(clock.pending).toBe(0);
  });

  test('of too many commits the oldest are compacted, in the background', async () => {
    const { store, clock } = await open({ historyMax: 100 });
    const revisions = await Promise.all(
      Array.from({ length: 150 }, (_, n) => store.commit([put(`/${n % 10}`)])),
    );
    expect(collect(store, '/', 0)).toHaveLength(150);
    await clock.pass(1);
    expect(await codeOf(() => store.watch('/', revisions[48] ?? 0, () => {}))).toBe(
      'REVISION_TOO_OLD',
    );
    expect(collect(store, '/', revisions[49] ?? 0)).toHaveLength(100);
  });

  test('a snapshot within the limits stays, whatever happens meanwhile', async () => {
    const { store, clock } = await open({ historyMax: 100, historyMs: 60_000 });
    await store.commit([put('/a', { n: 1 }), put('/b', { n: 1 })]);
    const { revision } = store.list('/', { limit: 1 });
    for (let n = 0; n < 100; n++) {
      await store.commit([put('/b', { n })]);
      await clock.pass(500);
    }
    const page = store.list('/', { after: '/a', revision });
    expect(page.objects.map(({ value }) => value['n'])).toEqual([1]);
  });

  test('a much too long history is compacted bit by bit', async () => {
    const { store, clock } = await open({ historyMax: 10 });
    await Promise.all(Array.from({ length: 2500 }, () => store.commit([put('/hot')])));
    await clock.pass(1);
    expect(collect(store, '/', store.revision - 10)).toHaveLength(10);
    expect(await codeOf(() => store.watch('/', store.revision - 11, () => {}))).toBe(
      'REVISION_TOO_OLD',
    );
  });
}
