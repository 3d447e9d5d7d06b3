import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { checkHostPath } from './host-path.ts';

function makeFiles() {
  const root = makeTempFolder();
  mkdirSync(path.join(root, 'folder'));
  writeFileSync(path.join(root, 'file'), 'x');
  symlinkSync('folder', path.join(root, 'link'));
  return root;
}

describe('a path of the node', () => {
  test.each([
    ['folder', 'Directory'],
    ['link', 'Directory'],
    ['folder', 'DirectoryOrCreate'],
    ['file', 'File'],
    ['file', 'FileOrCreate'],
    ['folder', ''],
  ])('%s passes the check for %s', async (name, type) => {
    const checking = checkHostPath({ path: path.join(makeFiles(), name), type });
    await expect(checking).resolves.toBeUndefined();
  });

  test.each([
    ['file', 'Directory', 'a directory'],
    ['file', 'DirectoryOrCreate', 'a directory'],
    ['missing', 'Directory', 'a directory'],
    ['folder', 'File', 'a file'],
    ['folder', 'FileOrCreate', 'a file'],
    ['missing', 'File', 'a file'],
    ['file', 'Socket', 'a socket file'],
    ['file', 'CharDevice', 'a character device'],
    ['file', 'BlockDevice', 'a block device'],
    ['file/below', 'Directory', 'a directory'],
  ])('%s is no %s', async (name, type, title) => {
    const full = path.join(makeFiles(), name);
    await expect(checkHostPath({ path: full, type })).rejects.toThrow(
      `hostPath type check failed: ${full} is not ${title}`,
    );
  });

  test('is made if its type says so, or if no type is given', async () => {
    const root = makeFiles();
    await checkHostPath({ path: path.join(root, 'a/b'), type: 'DirectoryOrCreate' });
    expect(statSync(path.join(root, 'a/b')).isDirectory()).toBe(true);
    await checkHostPath({ path: path.join(root, 'c'), type: 'FileOrCreate' });
    expect(statSync(path.join(root, 'c')).size).toBe(0);
    await checkHostPath({ path: path.join(root, 'd/e') });
    expect(statSync(path.join(root, 'd/e')).isDirectory()).toBe(true);
  });

  test('that cannot be made is refused, and not tried without end', async () => {
    const full = '/proc/podkeep/a';
    await expect(checkHostPath({ path: full })).rejects.toThrow("mkdir '/proc");
  });

  test('in a folder that does not exist is not made as a file', async () => {
    const full = path.join(makeFiles(), 'nowhere/file');
    await expect(checkHostPath({ path: full, type: 'FileOrCreate' })).rejects.toThrow('ENOENT');
  });

  test('may be a socket or a device', async () => {
    const full = path.join(makeTempFolder(), 's');
    const server = createServer().listen(full);
    onTestFinished(() => void server.close());
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    await expect(checkHostPath({ path: full, type: 'Socket' })).resolves.toBeUndefined();
    const device = { path: '/dev/null', type: 'CharDevice' };
    await expect(checkHostPath(device)).resolves.toBeUndefined();
  });

  test('must not go up, and must have a valid type', async () => {
    await expect(checkHostPath({ path: '/a/../b' })).rejects.toThrow(
      "invalid HostPath `/a/../b`: must not contain '..'",
    );
    await expect(checkHostPath({ path: '/', type: 'Gate' })).rejects.toThrow(
      'Gate is an invalid volume type',
    );
  });
});
