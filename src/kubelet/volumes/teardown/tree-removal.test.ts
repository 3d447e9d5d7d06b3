import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { removeTree } from './tree-removal.ts';

describe('the removal of a folder', () => {
  test('removes all that is in it', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'gone/a/b'), { recursive: true });
    writeFileSync(path.join(root, 'gone/a/b/file'), 'x');
    writeFileSync(path.join(root, 'stays'), 'x');
    await removeTree(path.join(root, 'gone'));
    expect(readdirSync(root)).toEqual(['stays']);
  });

  test('is no error if it does not exist', async () => {
    const root = makeTempFolder();
    await expect(removeTree(path.join(root, 'nothing'))).resolves.toBeUndefined();
    await expect(removeTree(path.join(root, 'nothing/at/all'))).resolves.toBeUndefined();
  });

  test('removes links and not their targets', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'outside/inner'), { recursive: true });
    writeFileSync(path.join(root, 'outside/inner/precious'), 'x');
    mkdirSync(path.join(root, 'gone/deep'), { recursive: true });
    symlinkSync(path.join(root, 'outside'), path.join(root, 'gone/link'));
    symlinkSync('../../outside/inner', path.join(root, 'gone/deep/link'));
    symlinkSync('../../outside/inner/precious', path.join(root, 'gone/deep/file'));
    await removeTree(path.join(root, 'gone'));
    expect(readFileSync(path.join(root, 'outside/inner/precious'), 'utf8')).toBe('x');
    expect(existsSync(path.join(root, 'gone'))).toBe(false);
  });

  test('of a link removes the link', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'outside'));
    writeFileSync(path.join(root, 'outside/precious'), 'x');
    symlinkSync('outside', path.join(root, 'link'));
    await removeTree(path.join(root, 'link'));
    expect(readdirSync(root)).toEqual(['outside']);
    expect(readdirSync(path.join(root, 'outside'))).toEqual(['precious']);
  });

  test('does not start below a link', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'outside/volume'), { recursive: true });
    symlinkSync('outside', path.join(root, 'link'));
    await expect(removeTree(path.join(root, 'link/volume'))).rejects.toThrow(/ENOTDIR|ELOOP/);
    expect(existsSync(path.join(root, 'outside/volume'))).toBe(true);
  });

  test('is not stopped by modes that a container has set', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'gone/closed/inner'), { recursive: true });
    writeFileSync(path.join(root, 'gone/closed/inner/file'), 'x');
    chmodSync(path.join(root, 'gone/closed/inner'), 0o500);
    chmodSync(path.join(root, 'gone/closed'), 0);
    await removeTree(path.join(root, 'gone'));
    expect(readdirSync(root)).toEqual([]);
  });

  test('reaches the end of a tree that is deeper than the folders it opens at once', async () => {
    const root = makeTempFolder();
    // Built from below, by moving the tree into a new folder: a path cannot be that long.
    for (let round = 0; round < 2; round += 1) {
      const next = path.join(root, `top${round}`, ...Array.from({ length: 100 }, () => 'd'));
      mkdirSync(next, { recursive: true });
      if (round > 0) renameSync(path.join(root, `top${round - 1}`), path.join(next, 'inner'));
    }
    mkdirSync(path.join(root, 'top1/..removed-1/x'), { recursive: true });
    await removeTree(path.join(root, 'top1'));
    expect(readdirSync(root)).toEqual([]);
  });

  test('removes many files, also from a folder that its owner may not write to', async () => {
    const root = makeTempFolder();
    mkdirSync(path.join(root, 'gone/closed'), { recursive: true });
    for (const folder of ['gone', 'gone/closed']) {
      for (let number = 0; number < 50; number += 1) {
        writeFileSync(path.join(root, folder, String(number)), 'x');
      }
    }
    chmodSync(path.join(root, 'gone/closed'), 0o500);
    await removeTree(path.join(root, 'gone'));
    expect(readdirSync(root)).toEqual([]);
  });
});
