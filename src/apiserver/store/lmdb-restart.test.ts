import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { put, remove } from '../../../test/suites/object-store/world.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ObjectStore, StoreEvent } from '../../ports/api/object-store.ts';
import { walkRecords } from './lmdb/page-walk.ts';
import { openLmdbStore, type LmdbStoreOptions } from './lmdb-store.ts';

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-restart-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string, options: Partial<LmdbStoreOptions> = {}): Promise<ObjectStore> {
  return openLmdbStore({ clock: new VirtualClock(), log: silentLog, ...options, folder });
}

async function reopen(store: ObjectStore, folder: string): Promise<ObjectStore> {
  await store.close();
  const again = await open(folder);
  onTestFinished(() => again.close());
  return again;
}

function eventsAfter(store: ObjectStore, revision: number): readonly StoreEvent[] {
  const events: StoreEvent[] = [];
  store.watch('', revision, (event) => void events.push(event))();
  return events;
}

function countRecords(folder: string): number {
  let count = 0;
  walkRecords(readFileSync(path.join(folder, 'objects.mdb')), () => void (count += 1));
  return count;
}

describe('after a restart', () => {
  test('all objects are there, at their revisions, and the next revision is higher', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    await store.commit([put('/a', { n: 1 }), put('/b'), put('/\ud800', { text: '\u{1f600}' })]);
    await store.commit([put('/a', { n: 2 }), remove('/b')]);
    await store.commit([]);
    const before = store.list('');
    const again = await reopen(store, folder);
    expect(again.list('')).toEqual(before);
    expect(again.get('/a')).toEqual(before.objects[0]);
    expect(await again.commit([put('/c')])).toBe(before.revision + 1);
  });

  test('a client goes on watching as if nothing had happened', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    const first = await store.commit([put('/a', { n: 1 }), put('/b', { n: 1 })]);
    await store.commit([remove('/b')]);
    await store.commit([put('/b', { n: 3 }), put('/a', { n: 3 })]);
    const before = eventsAfter(store, 0);
    const snapshot = store.list('', { revision: first });
    const again = await reopen(store, folder);
    expect(eventsAfter(again, 0)).toEqual(before);
    expect(eventsAfter(again, first)).toEqual(before.slice(2));
    expect(again.list('', { revision: first })).toEqual(snapshot);
  });

  test('forgotten history stays forgotten', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    for (let n = 0; n < 5; n++) await store.commit([put('/a', { n }), put(`/${n}`)]);
    await store.commit([remove('/0')]);
    store.compact(4);
    const before = eventsAfter(store, 4);
    const again = await reopen(store, folder);
    expect(() => again.watch('', 3, () => {})).toThrow(
      expect.objectContaining({ code: 'REVISION_TOO_OLD' }),
    );
    expect(eventsAfter(again, 4)).toEqual(before);
    expect(again.list('')).toEqual(store.list(''));
  });

  test('history ages as before', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    for (let n = 0; n < 3; n++) await store.commit([put('/a', { n })]);
    await store.close();
    const clock = new VirtualClock();
    const again = await open(folder, { clock, historyMs: 1000 });
    onTestFinished(() => again.close());
    expect(eventsAfter(again, 0)).toHaveLength(3);
    await clock.pass(1100);
    expect(() => again.watch('', 0, () => {})).toThrow(
      expect.objectContaining({ code: 'REVISION_TOO_OLD' }),
    );
    expect(again.get('/a')?.value['n']).toBe(2);
  });

  test('a deleted object that is forgotten takes no space, and can be created again', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    await store.commit([put('/a')]);
    await store.commit([remove('/a')]);
    store.compact(2);
    await store.close();
    // The head is left.
    expect(countRecords(folder)).toBe(1);
    const again = await reopen(store, folder);
    expect(again.list('').objects).toEqual([]);
    expect(eventsAfter(again, 2)).toEqual([]);
    const revision = await again.commit([put('/a', {}, 0)]);
    expect(eventsAfter(again, 2)).toMatchObject([{ type: 'put', revision, before: null }]);
  });

  test('values come back exactly', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    const value = JSON.parse(
      '{"z":1,"a":{"__proto__":{"x":[]},"constructor":null},"n":[-1,1.5,1e300,9007199254740991],' +
        '"text":"\\u0000 \\ud83d\\ude00 \\ud800 é \\u2028"}',
    ) as JsonObject;
    await store.commit([
      { key: '/a', make: () => value },
      put('/large', { t: 'é'.repeat(2 ** 19) }),
    ]);
    const again = await reopen(store, folder);
    expect(JSON.stringify(again.get('/a')?.value)).toBe(JSON.stringify(value));
    expect(again.get('/large')?.value['t']).toBe('é'.repeat(2 ** 19));
  });
});

test('overwritten and forgotten records are reused: the file does not grow without end', async () => {
  const folder = makeFolder();
  const clock = new VirtualClock();
  const store = await open(folder, { clock, historyMax: 20 });
  onTestFinished(() => store.close());
  const size = (): number => statSync(path.join(folder, 'objects.mdb')).size;
  const sizes: number[] = [];
  for (let round = 0; round < 40; round++) {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.commit([put(`/${n}`, { t: 'x'.repeat(3000) })])),
    );
    await clock.pass(1);
    sizes.push(size());
  }
  expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[10] ?? 0) * 1.5);
});

test('only its owner may read it', async () => {
  const folder = path.join(makeFolder(), 'deep', 'store');
  const store = await open(folder);
  onTestFinished(() => store.close());
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(folder, 'objects.mdb')).mode & 0o777).toBe(0o600);
});
