import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryFolder } from './memory-folder.ts';

const SHARED_MEMORY = '/dev/shm';
const hasMemory = existsSync(SHARED_MEMORY);
let dataFolder = '';
let parent = '';

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'memory-folder-'));
  parent = hasMemory ? mkdtempSync(path.join(SHARED_MEMORY, 'memory-folder-test-')) : '';
});

afterEach(() => {
  rmSync(dataFolder, { recursive: true });
  if (parent !== '') rmSync(parent, { recursive: true });
});

test('a file system on a disk is not used', () => {
  expect(new MemoryFolder({ dataFolder, parents: ['/proc', '/no/such/folder'] }).open()).toBe(
    undefined,
  );
});

test.skipIf(!hasMemory)('the next process finds the folder of the last one', () => {
  const folder = new MemoryFolder({ dataFolder, parents: [parent] }).open() ?? '';
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(new MemoryFolder({ dataFolder, parents: [parent] }).open()).toBe(folder);
});

test.skipIf(!hasMemory)('a folder that other users may enter is not used', () => {
  const first = new MemoryFolder({ dataFolder, parents: [parent] }).open() ?? '';
  chmodSync(first, 0o755);
  expect(new MemoryFolder({ dataFolder, parents: [parent] }).open()).not.toBe(first);
});

test.skipIf(!hasMemory)('a folder that is gone is created again', () => {
  const memory = new MemoryFolder({ dataFolder, parents: [parent] });
  const first = memory.open() ?? '';
  rmSync(first, { recursive: true });
  expect(existsSync(memory.open() ?? '')).toBe(true);
});

test.skipIf(!hasMemory)('what a deleted data folder of this path had is removed', () => {
  const first = new MemoryFolder({ dataFolder, parents: [parent] }).open() ?? '';
  rmSync(path.join(dataFolder, 'memory'));
  new MemoryFolder({ dataFolder, parents: [parent] }).open();
  expect(existsSync(first)).toBe(false);
});

test.skipIf(!hasMemory)('nothing is left behind if its path cannot be recorded', () => {
  const gone = path.join(dataFolder, 'gone');
  expect(new MemoryFolder({ dataFolder: gone, parents: [parent] }).open()).toBe(undefined);
  expect(readdirSync(parent)).toEqual([]);
});

test.skipIf(!hasMemory)('it is removed when it is closed, unless it is in use', () => {
  const memory = new MemoryFolder({ dataFolder, parents: [parent] });
  const folder = memory.open() ?? '';
  writeFileSync(path.join(folder, 'file'), '');
  memory.close();
  expect(memory.open()).toBe(folder);
  rmSync(path.join(folder, 'file'));
  memory.close();
  expect(existsSync(folder)).toBe(false);
});
