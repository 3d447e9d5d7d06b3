import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { makeUsableFolder } from './usable-folder.ts';

const isRoot = process.getuid?.() === 0;
const why = 'only root on Linux may mount';
const mayMount = isRoot && process.platform === 'linux';
if (!mayMount) console.log(`tests of other file systems are skipped: ${why}`);

function mountMemory(options: string): string {
  const folder = makeTempFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
  expect(status).toBe(0);
  onTestFinished(() => void spawnSync('umount', [folder]));
  return folder;
}

test('missing folders are made, for their owner alone, and nothing else is left in them', () => {
  const folder = path.join(makeTempFolder(), 'a', 'b');
  expect(makeUsableFolder(folder)).toBeNull();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).toEqual([]);
  expect(makeUsableFolder(folder)).toBeNull();
});

test.runIf(existsSync('/proc/self'))('a folder below /proc is refused immediately', () => {
  for (const folder of ['/proc/x', '/proc/x/y/z']) {
    expect(makeUsableFolder(folder)).toMatchObject({
      reason: 'no folder can be made in /proc (ENOENT)',
      hint: expect.stringContaining('--data-dir'),
    });
  }
});

test('a file in the way is named', () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  for (const wanted of [file, path.join(file, 'x'), path.join(file, 'x', 'y')]) {
    expect(makeUsableFolder(wanted)?.reason).toBe(`${file} is a file and not a folder (ENOTDIR)`);
  }
});

test('a dangling link is refused', () => {
  const link = path.join(makeTempFolder(), 'link');
  symlinkSync('/no/such/folder', link);
  expect(makeUsableFolder(link)?.hint).toContain('--data-dir');
});

test.runIf(!isRoot)('a folder of another user is named', () => {
  const folder = path.join(makeTempFolder(), 'closed');
  mkdirSync(folder, { mode: 0o500 });
  expect(makeUsableFolder(path.join(folder, 'x'))?.reason).toBe(
    `this user may not write in ${folder} (EACCES)`,
  );
});

test.runIf(mayMount)('a read-only file system is called that', () => {
  const folder = mountMemory('ro');
  for (const wanted of [folder, path.join(folder, 'x'), path.join(folder, 'x', 'y')]) {
    expect(makeUsableFolder(wanted)).toMatchObject({
      reason: expect.stringMatching(/^the file system of .* is read-only \(EROFS\)$/),
      hint: expect.stringContaining('mount it writable'),
    });
  }
});

test.runIf(mayMount)('a full disk is called that', () => {
  const folder = mountMemory('size=64k');
  expect(makeUsableFolder(path.join(folder, 'x'))).toMatchObject({
    reason: `there is no space left on the disk of ${folder}/x (ENOSPC)`,
    hint: expect.stringContaining('free some'),
  });
});
