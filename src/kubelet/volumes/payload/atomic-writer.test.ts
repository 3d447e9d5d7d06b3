import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { writeAtomically } from './atomic-writer.ts';
import type { Payload } from './payload.ts';

const NOW = { nowMs: Date.UTC(2026, 0, 2, 3, 4, 5) };

function payloadOf(files: Readonly<Record<string, string>>, mode = 0o644): Payload {
  return new Map(
    Object.entries(files).map(([name, text]) => [name, { data: Buffer.from(text), mode }]),
  );
}

/** All files below a folder, through links. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** What users see: the names that do not begin with two dots. */
function visibleIn(folder: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const name of readdirSync(folder).filter((each) => !each.startsWith('..'))) {
    const full = path.join(folder, name);
    if (statSync(full).isFile()) found.push([name, readFileSync(full, 'utf8')]);
    else
      for (const [inner, text] of Object.entries(filesIn(full)))
        found.push([`${name}/${inner}`, text]);
  }
  return Object.fromEntries(found);
}

function dataFolderOf(folder: string): string {
  return readlinkSync(path.join(folder, '..data'));
}

describe('files that are replaced as a whole', () => {
  test('are in a timestamped folder, behind two links', async () => {
    const folder = makeTempFolder();
    expect(await writeAtomically(folder, payloadOf({ key: 'v', 'a/b': 'w' }), NOW)).toBe(true);
    expect(dataFolderOf(folder)).toMatch(/^\.\.2026_01_02_03_04_05\.\w+$/);
    expect(readlinkSync(path.join(folder, 'key'))).toBe('..data/key');
    expect(readlinkSync(path.join(folder, 'a'))).toBe('..data/a');
    expect(visibleIn(folder)).toEqual({ key: 'v', 'a/b': 'w' });
    expect(statSync(path.join(folder, dataFolderOf(folder))).mode & 0o777).toBe(0o755);
  });

  test('have the given mode, whatever the umask of the process', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ open: 'x' }, 0o666), NOW);
    expect(statSync(path.join(folder, 'open')).mode & 0o777).toBe(0o666);
  });

  test('are not written again if they are the same', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1', 'b/c': '2' }), NOW);
    const before = dataFolderOf(folder);
    expect(await writeAtomically(folder, payloadOf({ a: '1', 'b/c': '2' }, 0o600), NOW)).toBe(
      false,
    );
    expect(dataFolderOf(folder)).toBe(before);
  });

  test('get back a link that was removed', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    unlinkSync(path.join(folder, 'a'));
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    expect(visibleIn(folder)).toEqual({ a: '1' });
  });

  test('are removed with their names when they are not wanted any more', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1', 'b/c': '2', 'b/d': '3' }), NOW);
    const before = dataFolderOf(folder);
    await writeAtomically(folder, payloadOf({ 'b/d': '3' }), NOW);
    expect(visibleIn(folder)).toEqual({ 'b/d': '3' });
    expect(readdirSync(folder).sort()).toEqual(['..data', 'b', dataFolderOf(folder)].sort());
    expect(existsSync(path.join(folder, before))).toBe(false);
  });

  test('are written again if another process put something among them, and links are not followed', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    const before = dataFolderOf(folder);
    symlinkSync('/', path.join(folder, before, 'everything'));
    expect(await writeAtomically(folder, payloadOf({ a: '1' }), NOW)).toBe(true);
    expect(visibleIn(folder)).toEqual({ a: '1' });
    expect(existsSync(path.join(folder, before))).toBe(false);
  });

  test('may be none', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    await writeAtomically(folder, new Map(), NOW);
    expect(visibleIn(folder)).toEqual({});
  });

  test('leave alone a folder that is a mount point', async () => {
    const folder = makeTempFolder();
    mkdirSync(path.join(folder, 'nested'));
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    await writeAtomically(folder, payloadOf({ b: '1' }), NOW);
    expect(lstatSync(path.join(folder, 'nested')).isDirectory()).toBe(true);
  });

  test('survive the remains of an interrupted writer', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: '1' }), NOW);
    symlinkSync('..2020_01_01_00_00_00.gone', path.join(folder, '..data_tmp'));
    mkdirSync(path.join(folder, '..2020_01_01_00_00_00.half'));
    writeFileSync(path.join(folder, '..2020_01_01_00_00_00.half', 'a'), 'half');
    symlinkSync('..data/forgotten', path.join(folder, 'forgotten'));
    await writeAtomically(folder, payloadOf({ a: '2' }), NOW);
    expect(visibleIn(folder)).toEqual({ a: '2' });
    expect(readdirSync(folder).sort()).toEqual(['..data', 'a', dataFolderOf(folder)].sort());
  });

  test('are finished before readers see them, or not shown', async () => {
    const folder = makeTempFolder();
    await writeAtomically(folder, payloadOf({ a: 'old' }), NOW);
    const finish = async (): Promise<void> => {
      expect(visibleIn(folder)).toEqual({ a: 'old' });
      throw new Error('no');
    };
    const writing = writeAtomically(folder, payloadOf({ a: 'new' }), { ...NOW, finish });
    await expect(writing).rejects.toThrow('no');
    expect(visibleIn(folder)).toEqual({ a: 'old' });
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test.each([
    ['', 'invalid path: must not be empty: ""'],
    ['/etc/passwd', 'invalid path: must be relative path: /etc/passwd'],
    ['a/../../b', "invalid path: must not contain '..': a/../../b"],
    ['..', "invalid path: must not contain '..': .."],
    ['..data', "invalid path: must not start with '..': ..data"],
    ['./..data', "invalid path: must not start with '..': ./..data"],
    ['.', 'invalid path: must name a file: .'],
    ['x'.repeat(256), 'invalid path: filenames must be less than or equal to 255 characters'],
    ['x/'.repeat(2049), 'invalid path: must be less than or equal to 4096 characters'],
  ])('never have the path %.20s', async (name, words) => {
    const folder = makeTempFolder();
    await expect(writeAtomically(folder, payloadOf({ [name]: 'x' }), NOW)).rejects.toThrow(words);
    expect(readdirSync(folder)).toEqual([]);
  });
});
