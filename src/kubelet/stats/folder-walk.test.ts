import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { removeTree } from '../volumes/teardown/tree-removal.ts';
import { FolderWalk } from './folder-walk.ts';

const MiB = 2 ** 20;

async function sizeOf(folder: string): Promise<{ bytes: number; inodes: number } | null> {
  const walk = FolderWalk.begin(folder);
  if (!walk) return null;
  expect(await walk.advance(() => false)).toBe(true);
  return { bytes: walk.bytes, inodes: walk.inodes };
}

function blocksOf(...files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

test('a folder counts with everything in it, itself included', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'a/b'), { recursive: true });
  writeFileSync(path.join(folder, 'a/b/file'), Buffer.alloc(100_000, 1));
  const all = ['.', 'a', 'a/b', 'a/b/file'].map((name) => path.join(folder, name));
  expect(await sizeOf(folder)).toEqual({ bytes: blocksOf(...all), inodes: 4 });
});

test('a file with several names counts once', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'other'));
  const file = path.join(folder, 'file');
  writeFileSync(file, Buffer.alloc(MiB, 1));
  linkSync(file, path.join(folder, 'again'));
  linkSync(file, path.join(folder, 'other/third'));
  const size = await sizeOf(folder);
  expect(size?.bytes).toBe(blocksOf(folder, path.join(folder, 'other'), file));
  expect(size?.inodes).toBe(3);
});

test('a sparse file counts for what was written', async () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'sparse');
  writeFileSync(file, 'x');
  truncateSync(file, 100 * MiB);
  expect((await sizeOf(folder))?.bytes).toBeLessThan(MiB);
});

test('links are not followed, and count only themselves', async () => {
  const [folder, outside] = [makeTempFolder(), makeTempFolder()];
  writeFileSync(path.join(outside, 'large'), Buffer.alloc(MiB, 1));
  symlinkSync(outside, path.join(folder, 'folder'));
  symlinkSync(path.join(outside, 'large'), path.join(folder, 'file'));
  symlinkSync(folder, path.join(folder, 'itself'));
  const size = await sizeOf(folder);
  expect(size?.bytes).toBeLessThan(MiB);
  expect(size?.inodes).toBe(4);
});

test('a path that is no folder, a link to one, or missing has no size', async () => {
  const folder = makeTempFolder();
  writeFileSync(path.join(folder, 'file'), 'x');
  symlinkSync(folder, path.join(folder, 'link'));
  for (const name of ['file', 'link', 'none']) {
    expect(await sizeOf(path.join(folder, name))).toBeNull();
  }
});

test('a walk stops at its time limit, and continues where it was', async () => {
  const folder = makeTempFolder();
  for (let index = 0; index < 300; index += 1) {
    writeFileSync(path.join(folder, `f${index}`), 'x');
  }
  mkdirSync(path.join(folder, 'below'));
  for (let index = 0; index < 100; index += 1) {
    writeFileSync(path.join(folder, `below/g${index}`), 'x');
  }
  const whole = await sizeOf(folder);
  const walk = FolderWalk.begin(folder);
  let steps = 1;
  while (!(await walk?.advance(() => true))) steps += 1;
  expect(steps).toBeGreaterThan(5);
  expect({ bytes: walk?.bytes, inodes: walk?.inodes }).toEqual(whole);
  expect(whole?.inodes).toBe(402);
});

test('a folder that is replaced by a link while the walk rests is not entered', async () => {
  const [folder, outside] = [makeTempFolder(), makeTempFolder()];
  for (let index = 0; index < 50; index += 1) writeFileSync(path.join(outside, `${index}`), 'x');
  mkdirSync(path.join(folder, 'a/deep'), { recursive: true });
  const walk = FolderWalk.begin(folder);
  // The folder itself is read by then, and `a` waits.
  await walk?.advance(() => true);
  renameSync(path.join(folder, 'a'), path.join(folder, 'moved'));
  symlinkSync(outside, path.join(folder, 'a'));
  expect(await walk?.advance(() => false)).toBe(true);
  expect(walk?.inodes).toBe(2);
});

test('a folder that was replaced by another one is not entered either', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'a'));
  const walk = FolderWalk.begin(folder);
  await walk?.advance(() => true);
  renameSync(path.join(folder, 'a'), path.join(folder, 'moved'));
  mkdirSync(path.join(folder, 'a/below'), { recursive: true });
  await walk?.advance(() => false);
  expect(walk?.inodes).toBe(2);
});

test('entries that are removed meanwhile are no error', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'a/b/c'), { recursive: true });
  const walk = FolderWalk.begin(folder);
  await walk?.advance(() => true);
  rmSync(folder, { recursive: true });
  expect(await walk?.advance(() => false)).toBe(true);
});

/** Creates a chain of folders that is deeper than a path can be long, with a file in the last one. */
function makeDeep(folder: string, levels: number, bytes: number): void {
  const script =
    'use strict; chdir $ARGV[0] or die; for (1 .. $ARGV[1]) { mkdir "deep"; chdir "deep" or die } ' +
    'open my $f, ">", "large" or die; print $f "x" x $ARGV[2]; close $f';
  execFileSync('perl', ['-e', script, folder, String(levels), String(bytes)]);
}

test('a file counts that lies deeper than a path can be long', async () => {
  const folder = makeTempFolder();
  for (const name of ['a', 'b', 'c']) mkdirSync(path.join(folder, name));
  makeDeep(path.join(folder, 'b'), 900, MiB);
  writeFileSync(path.join(folder, 'a/file'), 'x');
  writeFileSync(path.join(folder, 'c/file'), 'x');
  const size = await sizeOf(folder);
  expect(size?.inodes).toBe(1 + 3 + 900 + 3);
  expect(size?.bytes).toBeGreaterThan(MiB);
  await removeTree(path.join(folder, 'b'));
});

test('a folder that is moved while the walk is in it does not lead the walk elsewhere', async () => {
  const [folder, outside] = [makeTempFolder(), makeTempFolder()];
  for (let index = 0; index < 50; index += 1) writeFileSync(path.join(outside, `${index}`), 'x');
  mkdirSync(path.join(folder, 'a/b/c'), { recursive: true });
  mkdirSync(path.join(folder, 'z/y'), { recursive: true });
  const walk = FolderWalk.begin(folder);
  let wasMoved = false;
  for (let steps = 0; steps < 100; steps += 1) {
    if (await walk?.advance(() => true)) break;
    if (steps !== 3) continue;
    renameSync(path.join(folder, 'a'), path.join(outside, 'a'));
    renameSync(path.join(folder, 'z'), path.join(outside, 'z'));
    wasMoved = true;
  }
  expect(wasMoved).toBe(true);
  expect(await walk?.advance(() => true)).toBe(true);
  expect(walk?.inodes).toBeLessThanOrEqual(6);
});

test('a stopped walk holds nothing open and is finished', async () => {
  const folder = makeTempFolder();
  for (let index = 0; index < 100; index += 1) writeFileSync(path.join(folder, `${index}`), 'x');
  const walk = FolderWalk.begin(folder);
  await walk?.advance(() => true);
  walk?.stop();
  walk?.stop();
  expect(await walk?.advance(() => false)).toBe(true);
});

test.skipIf(process.getuid?.() === 0)(
  'a folder that may not be read counts without its content',
  async () => {
    const folder = makeTempFolder();
    const closed = path.join(folder, 'closed');
    mkdirSync(path.join(closed, 'below'), { recursive: true });
    chmodSync(closed, 0o000);
    onTestFinished(() => chmodSync(closed, 0o700));
    expect((await sizeOf(folder))?.inodes).toBe(2);
  },
);

test.skipIf(process.platform !== 'linux')('du agrees', async () => {
  const folder = makeTempFolder();
  mkdirSync(path.join(folder, 'a/b'), { recursive: true });
  writeFileSync(path.join(folder, 'a/one'), Buffer.alloc(123_456, 1));
  linkSync(path.join(folder, 'a/one'), path.join(folder, 'a/b/two'));
  writeFileSync(path.join(folder, 'sparse'), '');
  truncateSync(path.join(folder, 'sparse'), 10 * MiB);
  const blocks = execFileSync('du', ['-sx', '--block-size=512', folder], { encoding: 'utf8' });
  expect((await sizeOf(folder))?.bytes).toBe(Number.parseInt(blocks, 10) * 512);
});
