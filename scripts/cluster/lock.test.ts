import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withLock } from './lock.ts';

function makeFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'folder', 'lock');
}

test('the lock is held during the work and released after it', async () => {
  const file = makeFile();
  const seen = await withLock(file, { patienceMs: 0 }, async () => readFileSync(file, 'utf8'));
  expect(seen).toBe(`${process.pid}\n`);
  expect(existsSync(file)).toBe(false);
});

test('work that fails releases the lock too', async () => {
  const file = makeFile();
  const work = withLock(file, { patienceMs: 0 }, () => Promise.reject(new Error('no luck')));
  await expect(work).rejects.toThrow('no luck');
  expect(existsSync(file)).toBe(false);
});

test('a lock that is held is waited for, and its holder is named', async () => {
  const file = makeFile();
  await withLock(file, { patienceMs: 0 }, async () => {
    const waited: number[] = [];
    const second = withLock(
      file,
      { patienceMs: 0, onWait: (pid) => waited.push(pid) },
      async () => 'never',
    );
    await expect(second).rejects.toMatchObject({ code: 'BUILD_LOCKED' });
    expect(waited).toEqual([process.pid]);
  });
});

test('the lock of a process that has ended is taken over', async () => {
  const file = makeFile();
  await withLock(file, { patienceMs: 0 }, async () => undefined);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(file, `${pid}\n`);
  expect(await withLock(file, { patienceMs: 0 }, async () => 'mine')).toBe('mine');
});

test('a lock that names no process is taken over', async () => {
  const file = makeFile();
  await withLock(file, { patienceMs: 0 }, async () => undefined);
  writeFileSync(file, '');
  expect(await withLock(file, { patienceMs: 0 }, async () => 'mine')).toBe('mine');
});
