import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SMALL } from '../../../test/suites/state-store.ts';
import { openCheckpointStateStore } from './checkpoint-state-store.ts';
import { foldersBetween, nodeFileSystem, type FileSystem } from './file-system.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'podkeep-files-'));
  file = path.join(folder, 'file');
});

afterEach(() => rm(folder, { recursive: true }));

describe('the real file system', () => {
  test('creates a file only if the name is free, even of a dangling link', async () => {
    await writeFile(file, 'old');
    await expect(nodeFileSystem.createFile(file)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(file, 'utf8')).toBe('old');
    const link = path.join(folder, 'link');
    await symlink(path.join(folder, 'nowhere'), link);
    await expect(nodeFileSystem.createFile(link)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test('treats a missing file as none when it reads or removes', async () => {
    expect(await nodeFileSystem.readFile(file)).toBeUndefined();
    await nodeFileSystem.removeFile(file);
    await expect(nodeFileSystem.readFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  test('returns the topmost folder that was made', async () => {
    const deep = path.join(folder, 'a', 'b', 'c');
    expect(await nodeFileSystem.makeFolder(deep)).toBe(path.join(folder, 'a'));
    expect(await nodeFileSystem.makeFolder(deep)).toBeUndefined();
  });

  test('does not report a missing folder as synced', async () => {
    await nodeFileSystem.syncFolder(folder);
    const missing = path.join(folder, 'missing');
    await expect(nodeFileSystem.syncFolder(missing)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.runIf(process.platform === 'linux')(
    'accepts a system that cannot sync folders',
    async () => {
      await expect(nodeFileSystem.syncFolder('/proc')).resolves.toBeUndefined();
    },
  );
});

describe('a folder that had to be made', () => {
  test.each([
    ['/a', '/a/b/c', ['/a', '/a/b', '/a/b/c']],
    ['/a', '/a', ['/a']],
    ['/not/above', '/a', ['/', '/a']],
  ])('is with those above it between %s and %s', (top, bottom, folders) => {
    expect(foldersBetween(top, bottom)).toEqual(folders);
  });

  test('is synced into its parent, and so on up, before a write relies on it', async () => {
    const synced: string[] = [];
    const syncFolder: FileSystem['syncFolder'] = async (name) => void synced.push(name);
    const fileSystem = { ...nodeFileSystem, syncFolder };
    const deep = path.join(folder, 'var', 'lib', 'kubelet');
    await mkdir(path.join(folder, 'var'));
    const store = await openCheckpointStateStore({ folder: deep, name: 'state', fileSystem });
    expect(synced).toEqual([path.join(folder, 'var'), path.dirname(deep), deep]);

    synced.length = 0;
    await store.setContainerResources('a', 'main', SMALL);
    expect(synced).toEqual([deep]);
    await rm(deep, { recursive: true });
    synced.length = 0;
    await store.setContainerResources('b', 'main', SMALL);
    expect(synced).toEqual([path.dirname(deep), deep]);
  });

  test('is synced with the next change if that failed before', async () => {
    const above = path.join(folder, 'var');
    const synced: string[] = [];
    let isBroken = false;
    const syncFolder: FileSystem['syncFolder'] = async (name) => {
      if (isBroken) throw new Error('EIO: i/o error, fsync');
      synced.push(name);
    };
    const fileSystem = { ...nodeFileSystem, syncFolder };
    const deep = path.join(above, 'kubelet');
    const store = await openCheckpointStateStore({ folder: deep, name: 'state', fileSystem });
    await rm(above, { recursive: true });
    isBroken = true;
    const change = store.setContainerResources('a', 'main', SMALL);
    await expect(change).rejects.toMatchObject({ code: 'CHECKPOINT_NOT_WRITTEN' });

    isBroken = false;
    synced.length = 0;
    await store.setContainerResources('a', 'main', SMALL);
    expect(synced).toEqual([folder, above, deep]);
  });
});
