import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { spreadFolders } from './spread-folders.ts';

/** What the kernel would list if the folder were on an ext4 with this task for its journal. */
function sysFolderFor(folder: string, journalTask: string): string {
  const sys = makeTempFolder();
  const { dev } = statSync(folder);
  const device = `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;
  mkdirSync(path.join(sys, 'dev/block'), { recursive: true });
  symlinkSync('../../devices/virtual/block/disk7', path.join(sys, 'dev/block', device));
  mkdirSync(path.join(sys, 'fs/ext4/disk7'), { recursive: true });
  writeFileSync(path.join(sys, 'fs/ext4/disk7/journal_task'), `${journalTask}\n`);
  return sys;
}

function recorder() {
  const ran: (readonly string[])[] = [];
  const run = async (args: readonly string[]): Promise<void> => void ran.push(args);
  return { ran, run };
}

test('folders on an ext4 without a journal get the hint to spread what is in them', async () => {
  const folder = makeTempFolder();
  const { ran, run } = recorder();
  await spreadFolders([folder], { sysFolder: sysFolderFor(folder, '<none>'), run });
  expect(ran).toEqual([['chattr', '+T', '--', folder]]);
});

test('folders on other file systems, or missing ones, are left alone', async () => {
  const folder = makeTempFolder();
  const { ran, run } = recorder();
  await spreadFolders([folder], { sysFolder: sysFolderFor(folder, '217'), run });
  await spreadFolders([folder], { sysFolder: makeTempFolder(), run });
  await spreadFolders([path.join(folder, 'missing')], {
    sysFolder: sysFolderFor(folder, '<none>'),
    run,
  });
  expect(ran).toEqual([]);
});

test('a machine that refuses the hint works without it', async () => {
  const folder = makeTempFolder();
  const run = () => Promise.reject(new Error('chattr: not found'));
  const sysFolder = sysFolderFor(folder, '<none>');
  await expect(spreadFolders([folder], { sysFolder, run })).resolves.toBeUndefined();
});

test('the real machine answers, whatever its file systems', async () => {
  await expect(spreadFolders([makeTempFolder()])).resolves.toBeUndefined();
});
