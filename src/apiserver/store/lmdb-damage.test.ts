import * as fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { put, remove } from '../../../test/suites/object-store/world.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import { openEnvironment } from './lmdb/environment.ts';
import { encodeHead, encodeVersion, encodeVersionKey, HEAD_KEY } from './lmdb/record.ts';
import { openLmdbStore } from './lmdb-store.ts';

const PAGE = 4096;

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-damage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string): Promise<ObjectStore> {
  return openLmdbStore({ clock: new VirtualClock(), log: silentLog, folder });
}

/** A store with some of everything: small and large values, history, free pages, several levels. */
async function makeGood(folder: string): Promise<string> {
  const store = await open(folder);
  const some = (every: number, letter: string) =>
    Array.from({ length: Math.ceil(400 / every) }, (_, n) =>
      put(`/${n * every}`, { t: letter.repeat(((n * every) % 50) * 60) }),
    );
  await store.commit(some(1, 'a'));
  for (const letter of ['b', 'c', 'd']) await store.commit(some(13, letter));
  store.compact(3);
  await store.commit([remove('/13'), remove('/14')]);
  await store.close();
  return path.join(folder, 'objects.mdb');
}

let good: Buffer = Buffer.alloc(0);
let content = '';

function showContent(store: ObjectStore): string {
  return JSON.stringify([store.revision, store.list('')]);
}

beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-damage-'));
  good = readFileSync(await makeGood(folder));
  const store = await open(folder);
  content = showContent(store);
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Opens a store with this file, and returns the error. The file must not change. */
async function openDamaged(bytes: Buffer): Promise<unknown> {
  const folder = makeFolder();
  const file = path.join(folder, 'objects.mdb');
  writeFileSync(file, bytes);
  const failure: unknown = await open(folder).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(readFileSync(file).equals(bytes)).toBe(true);
  return failure;
}

function damageTo(reason: unknown): unknown {
  return expect.objectContaining({
    code: 'STORE_DAMAGED',
    message: expect.stringMatching(/objects\.mdb is damaged or is not a store of podkeep: /),
    hint: expect.stringMatching(/backup.*objects\.mdb/),
    cause: expect.objectContaining({ message: reason }),
  });
}

async function contentOrCode(folder: string): Promise<unknown> {
  try {
    const store = await open(folder);
    const shown = showContent(store);
    await store.close();
    return shown;
  } catch (error) {
    return error instanceof PodkeepError ? error.code : error;
  }
}

describe('a damaged file', () => {
  test.each([
    [0, /ends before its first meta page, after 0 bytes/],
    [100, /ends before its first meta page/],
    [PAGE, /ends before its second meta page/],
    [PAGE * 2, /page \d+ is missing, the file ends after 8192 bytes/],
    [PAGE * 100 + 17, /page \d+ is missing/],
  ])('cut off after %d bytes', async (length, reason) => {
    expect(await openDamaged(good.subarray(0, length))).toEqual(
      damageTo(expect.stringMatching(reason)),
    );
  });

  test('overwritten in the middle', async () => {
    const bytes = Buffer.from(good);
    bytes.fill('garbage', PAGE * 20, PAGE * 60);
    expect(await openDamaged(bytes)).toEqual(damageTo(expect.stringMatching(/overwritten/)));
  });

  test('overwritten from the beginning', async () => {
    const bytes = Buffer.from(good);
    bytes.fill(0, 0, PAGE);
    expect(await openDamaged(bytes)).toEqual(damageTo(expect.stringMatching(/no meta page/)));
  });

  test('with one wrong letter in one value', async () => {
    const bytes = Buffer.from(good);
    const at = bytes.lastIndexOf('dddddd');
    bytes.write('e', at);
    expect(await openDamaged(bytes)).toEqual(damageTo(expect.stringMatching(/checksum/)));
  });

  test('text', async () => {
    const bytes = Buffer.from('{"apiVersion":"v1"}\n'.repeat(1000));
    expect(await openDamaged(bytes)).toEqual(damageTo(expect.stringMatching(/no meta page/)));
  });

  test('of some other version of LMDB', async () => {
    const bytes = Buffer.from(good);
    bytes.writeUInt32LE(1, 28);
    expect(await openDamaged(bytes)).toEqual(damageTo("LMDB's data version in it is 1, not 2"));
  });

  test('whatever the damage: it is found, or it does not matter', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: PAGE });
    const place = fc.oneof(fc.nat(PAGE * 2 - 1), fc.nat(PAGE * 10), fc.nat(good.length - 1));
    await fc.assert(
      fc.asyncProperty(place, bytes, async (at, garbage) => {
        const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-damage-'));
        const file = path.join(folder, 'objects.mdb');
        const damaged = Buffer.from(good);
        damaged.set(garbage.subarray(0, damaged.length - at), at);
        writeFileSync(file, damaged);
        const outcome = await contentOrCode(folder);
        const isUntouched = readFileSync(file).equals(damaged);
        rmSync(folder, { recursive: true });
        expect([content, 'STORE_DAMAGED']).toContain(outcome);
        expect(isUntouched).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('an LMDB file that', () => {
  test('another program wrote is not taken for an empty store', async () => {
    const folder = makeFolder();
    mkdirSync(folder, { recursive: true });
    const database = openLmdb({ path: path.join(folder, 'objects.mdb'), noSubdir: true });
    await database.put('some key', { some: 'value' });
    await database.close();
    await expect(open(folder)).rejects.toEqual(damageTo('it was not written by podkeep'));
  });

  test('has named databases inside is not taken for one either', async () => {
    const folder = makeFolder();
    const database = openLmdb({ path: path.join(folder, 'objects.mdb'), noSubdir: true });
    await database.openDB({ name: 'inner' }).put('key', 'value');
    await database.close();
    await expect(open(folder)).rejects.toEqual(
      damageTo(expect.stringMatching(/unknown kind|not written by podkeep/)),
    );
  });

  test.each([
    ['has a newer format says so', { format: 3, revision: 0, floor: 0 }, 'STORE_TOO_NEW'],
    [
      'has a version newer than its head is damaged',
      { format: 1, revision: 6, floor: 0 },
      'STORE_DAMAGED',
    ],
  ])('%s', async (_, head, code) => {
    const folder = makeFolder();
    const file = path.join(folder, 'objects.mdb');
    writeFileSync(file, '');
    const environment = openEnvironment(file);
    const key = encodeVersionKey(7, 0);
    await environment.write(
      [
        [HEAD_KEY, encodeHead(head)],
        [key, encodeVersion(key, '/a', {})],
      ],
      [],
    );
    await environment.close();
    const before = readFileSync(file);
    await expect(open(folder)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(file),
      hint: expect.stringContaining(file),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('the folder', () => {
  test('cannot be a file', async () => {
    const file = path.join(makeFolder(), 'file');
    writeFileSync(file, '');
    await expect(open(file)).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
  });

  test('may have the leftovers of a first start that was killed', async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'objects.mdb.new'), 'half of it');
    writeFileSync(path.join(folder, 'owner.mdb'), '');
    const store = await open(folder);
    expect(await store.commit([put('/a')])).toBe(1);
    await store.close();
  });

  test('has one store at a time, and is free again when it is closed', async () => {
    const folder = makeFolder();
    const store = await open(folder);
    await expect(open(folder)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: `the store in ${folder} is in use by this very process`,
    });
    await store.commit([put('/a')]);
    await store.close();
    const again = await open(folder);
    expect(again.get('/a')?.revision).toBe(1);
    await again.close();
  });

  test('is free again when opening failed', async () => {
    const folder = makeFolder();
    const file = await makeGood(folder);
    truncateSync(file, 100);
    await expect(open(folder)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    writeFileSync(file, good);
    const store = await open(folder);
    expect(showContent(store)).toBe(content);
    await store.close();
  });

  test('with a damaged lock says which file it is', async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, 'owner.mdb'), 'x'.repeat(9000));
    await expect(open(folder)).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('owner.mdb'),
    });
  });
});
