import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { FakeMounter } from '../../../../test/support/volume-parts.ts';
import { writeAtomically } from '../payload/atomic-writer.ts';
import { OpenFolder } from '../open-folder.ts';
import { openSubPath } from './sub-path.ts';
import { VolumeWalk } from '../volume-walk.ts';

function makeWorld() {
  const root = realpathSync(makeTempFolder());
  const volumePath = path.join(root, 'volume');
  mkdirSync(path.join(volumePath, 'inner'), { recursive: true });
  mkdirSync(path.join(root, 'secret'));
  writeFileSync(path.join(root, 'secret/key'), 'of the node');
  writeFileSync(path.join(volumePath, 'inner/file'), 'mine');
  const target = path.join(root, 'subpaths/volume/main/0');
  const openPart = (subPath: string, mounter = new FakeMounter()) =>
    openSubPath(mounter, { volumePath, subPath, target }).then(({ hostPath }) => hostPath);
  return { root, volumePath, target, openPart };
}

describe('a sub path of a volume', () => {
  test('is found by its path, be it a folder or a file', async () => {
    const { volumePath, openPart } = makeWorld();
    expect(await openPart('inner')).toBe(path.join(volumePath, 'inner'));
    expect(await openPart('./inner//file')).toBe(path.join(volumePath, 'inner/file'));
  });

  test('is made with the setgid and sticky bits of the volume', async () => {
    const { volumePath, openPart } = makeWorld();
    chmodSync(volumePath, 0o3770);
    await openPart('new/below');
    for (const name of ['new', 'new/below']) {
      expect(statSync(path.join(volumePath, name)).mode & 0o7777).toBe(0o3770);
    }
  });

  test('is made if it is missing, with the mode of the volume', async () => {
    const { volumePath, openPart } = makeWorld();
    chmodSync(volumePath, 0o770);
    expect(await openPart('new/deeper')).toBe(path.join(volumePath, 'new/deeper'));
    expect(statSync(path.join(volumePath, 'new')).mode & 0o777).toBe(0o770);
  });

  test('may lie behind links that stay in the volume', async () => {
    const { volumePath, openPart } = makeWorld();
    symlinkSync('inner', path.join(volumePath, 'a'));
    symlinkSync('../a/file', path.join(volumePath, 'inner/b'));
    symlinkSync(path.join(volumePath, 'inner'), path.join(volumePath, 'absolute'));
    expect(await openPart('a')).toBe(path.join(volumePath, 'inner'));
    expect(await openPart('a/b')).toBe(path.join(volumePath, 'inner/file'));
    expect(await openPart('absolute/b')).toBe(path.join(volumePath, 'inner/file'));
  });

  test('is refused if a file is replaced by a link between its check and its opening', async () => {
    const { root, volumePath, openPart } = makeWorld();
    const file = path.join(volumePath, 'inner/file');
    vi.spyOn(OpenFolder.prototype, 'inspect').mockImplementation(async function (
      this: OpenFolder,
      name,
    ) {
      const stats = await lstat(this.at(name));
      if (name === 'file') {
        rmSync(file);
        symlinkSync(path.join(root, 'secret/key'), file);
      }
      return stats;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(openPart('inner/file')).rejects.toThrow(/was replaced while it was opened/);
  });

  test('may be a key of a config map, which is two links away', async () => {
    const { volumePath, openPart } = makeWorld();
    const files = new Map([['conf', { data: Buffer.from('x'), mode: 0o644 }]]);
    await writeAtomically(volumePath, files, { nowMs: 0 });
    expect(readFileSync(await openPart('conf'), 'utf8')).toBe('x');
  });

  test.each([
    ['a link to the folder above', '..', 'link/secret/key'],
    ['a link out by its own path', '../secret', 'link/key'],
    ['a link that goes in and out', 'inner/../../secret', 'link'],
    ['an absolute link', '/etc', 'link/passwd'],
    ['a link to a folder beside with the same beginning', '../volume-2', 'link/x'],
    ['a link to the root', '/', 'link/etc'],
  ])('cannot leave it by %s', async (_, target, subPath) => {
    const { root, volumePath, openPart } = makeWorld();
    mkdirSync(path.join(root, 'volume-2'));
    symlinkSync(target, path.join(volumePath, 'link'));
    await expect(openPart(subPath)).rejects.toThrow('leaves the volume');
    expect(readdirSync(path.join(root, 'volume-2'))).toEqual([]);
    expect(readdirSync(path.join(root, 'secret'))).toEqual(['key']);
  });

  test('cannot be made beyond a link that leads out', async () => {
    const { root, volumePath, openPart } = makeWorld();
    symlinkSync(path.join(root, 'secret'), path.join(volumePath, 'inner/out'));
    await expect(openPart('inner/out/made')).rejects.toThrow('leaves the volume');
    expect(existsSync(path.join(root, 'secret/made'))).toBe(false);
  });

  test('cannot be found in a loop of links', async () => {
    const { volumePath, openPart } = makeWorld();
    symlinkSync('b', path.join(volumePath, 'a'));
    symlinkSync('a', path.join(volumePath, 'b'));
    await expect(openPart('a')).rejects.toThrow('too many links');
  });

  test('cannot lie below a file', async () => {
    const { openPart } = makeWorld();
    await expect(openPart('inner/file/x')).rejects.toThrow('is not a directory');
  });

  test('is bound where containers have no access, again for each start', async () => {
    const { target, openPart } = makeWorld();
    const mounter = new FakeMounter(true);
    expect(await openPart('inner/file', mounter)).toBe(target);
    expect(lstatSync(target).isFile()).toBe(true);
    expect(await openPart('inner/file', mounter)).toBe(target);
    expect(mounter.mounts).toHaveLength(1);
    expect(mounter.mounts[0]?.source).toMatch(/^\/proc\/\d+\/fd\/\d+$/);
  });

  test('stays the same when it is replaced by a link later', async () => {
    const { root, volumePath } = makeWorld();
    const walk = await VolumeWalk.begin(volumePath, false);
    await walk.go('inner');
    renameSync(path.join(volumePath, 'inner'), path.join(volumePath, 'moved'));
    symlinkSync(path.join(root, 'secret'), path.join(volumePath, 'inner'));
    expect(readdirSync(walk.link)).toEqual(['file']);
    await walk.go('file');
    expect(await walk.readText(100)).toBe('mine');
    await walk.close();
  });
});

describe('the text of a file in a volume', () => {
  test('is read if it is a file of limited size', async () => {
    const { volumePath } = makeWorld();
    const walk = await VolumeWalk.begin(volumePath, false);
    await walk.go('inner/file');
    expect(await walk.readText(4)).toBe('mine');
    await expect(walk.readText(3)).rejects.toThrow('is longer than 3 bytes');
    await walk.close();
  });

  test('is not read from folders, and no folder is made on the way', async () => {
    const { volumePath } = makeWorld();
    const walk = await VolumeWalk.begin(volumePath, false);
    await expect(walk.go('missing')).rejects.toThrow('ENOENT');
    await walk.go('inner');
    await expect(walk.readText(10)).rejects.toThrow('is not a file');
    await walk.close();
    rmSync(volumePath, { recursive: true });
    await expect(VolumeWalk.begin(volumePath, false)).rejects.toThrow('ENOENT');
  });
});
