/** Two processes and one folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import type { ObjectStore } from '../../src/ports/api/object-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { endOf, startProgram, type Child } from './child.ts';

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(folder: string): Promise<ObjectStore> {
  return openLmdbStore({ folder, clock: new VirtualClock(), log: silentLog });
}

/** Starts a process that has the folder open, and writes into it without end. */
async function startOwner(folder: string): Promise<Child> {
  const child = startProgram('killed-writer.ts', [folder]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => {
    child.stdout.once('data', resolve);
    child.once('close', resolve);
  });
  return child;
}

test('the second process gets the PID of the owner, and harms nothing', async () => {
  const folder = makeFolder();
  const owner = await startOwner(folder);
  for (let attempt = 0; attempt < 5; attempt++) {
    await expect(open(folder)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: `the store in ${folder} is in use by process ${owner.pid}`,
      hint: expect.stringContaining('Stop the other podkeep'),
    });
  }
  expect(owner.exitCode).toBeNull();
});

test('a folder is free as soon as its owner was killed', async () => {
  const folder = makeFolder();
  for (let round = 0; round < 2; round++) {
    const owner = await startOwner(folder);
    const ended = endOf(owner);
    owner.kill('SIGKILL');
    await ended;
    const store = await open(folder);
    await store.commit([{ key: `/${round}`, make: () => ({}) }]);
    await store.close();
  }
  const store = await open(folder);
  expect(store.list('/').objects.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['/0', '/1']),
  );
  await store.close();
});

test('this process keeps others out as well', async () => {
  const folder = makeFolder();
  const store = await open(folder);
  onTestFinished(() => store.close());
  const { code, err } = await endOf(startProgram('killed-writer.ts', [folder]));
  expect(code).toBe(1);
  expect(err).toContain('STORE_LOCKED');
  expect(err).toContain(`in use by process ${process.pid}`);
});
