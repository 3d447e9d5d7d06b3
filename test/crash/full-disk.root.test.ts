/**
 * A really full disk: a small tmpfs, which only root may mount.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { PodkeepError } from '../../src/lib/errors.ts';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const OBJECT_BYTES = 5000;

/** Undefined: this user may not mount. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

function open(folder: string): Promise<ObjectStore> {
  return openLmdbStore({ folder, clock: new VirtualClock(), log: silentLog });
}

async function commit(store: ObjectStore, n: number): Promise<number | PodkeepError> {
  const make = (revision: number) => ({ n, revision, text: 'x'.repeat(OBJECT_BYTES) });
  try {
    return await store.commit([
      { key: `/a/${n}`, make },
      { key: `/b/${n}`, make },
    ]);
  } catch (error) {
    if (error instanceof PodkeepError) return error;
    throw error;
  }
}

test('a full disk refuses writes, loses nothing, and takes writes again when there is space', async (context) => {
  const disk = mountSmallDisk();
  if (disk === undefined) {
    console.log('skipped: mounting a small disk needs root');
    console.log('skipped: mounting a small disk needs root');
    context.skip('mounting a small disk needs root');
    return;
  }
  const folder = path.join(disk, 'store');
  const ballast = path.join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(2 ** 20));
  const store = await open(folder);
  const notified: number[] = [];
  store.watch('/', 0, ({ revision }) => void notified.push(revision));

  const outcomes: (number | PodkeepError)[] = [];
  for (let n = 0; n < 400; n++) outcomes.push(await commit(store, n));
  const failures = outcomes.filter((outcome) => outcome instanceof PodkeepError);
  expect(failures.length).toBeGreaterThan(100);
  expect(failures[0]).toMatchObject({ code: 'STORE_FAILED', retry: 'backoff' });
  expect(failures[0]?.message).toContain(path.join(folder, 'objects.mdb'));
  expect(failures[0]?.cause).toMatchObject({ code: 'ENOSPC' });
  expect(statfsSync(disk).bavail * statfsSync(disk).bsize).toBeLessThan(2 ** 19);
  expectJust(store, outcomes, notified);

  rmSync(ballast);
  for (let n = 400; n < 420; n++) outcomes.push(await commit(store, n));
  expect(outcomes.slice(400).every((outcome) => typeof outcome === 'number')).toBe(true);
  expectJust(store, outcomes, notified);

  const before = store.list('/');
  await store.close();
  const again = await open(folder);
  expect(again.list('/')).toEqual(before);
  expect(typeof (await commit(again, 420))).toBe('number');
  await again.close();
});

/** An acknowledged commit is visible and was notified, and no other. */
function expectJust(
  store: ObjectStore,
  outcomes: readonly (number | PodkeepError)[],
  notified: readonly number[],
): void {
  const revisions = outcomes.filter((outcome) => typeof outcome === 'number');
  for (const side of ['/a/', '/b/']) {
    const found = store.list(side).objects.map(({ revision }) => revision);
    expect(found.toSorted((a, b) => a - b)).toEqual(revisions);
  }
  expect(notified).toEqual(revisions.flatMap((revision) => [revision, revision]));
}
