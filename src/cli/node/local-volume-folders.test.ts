import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { localVolumeFolders } from './local-volume-folders.ts';

const NAME = 'pvc-01234567-89ab-4cde-8f01-23456789abcd';
const EVIL = [
  '',
  '.',
  '..',
  '../..',
  'pvc-',
  'data',
  `../${NAME}`,
  `${NAME}/..`,
  `${NAME}\n`,
  `${NAME}\0`,
  NAME.toUpperCase(),
  '/etc',
];

describe('the folder of a volume', () => {
  test('is open to the users of containers, below one that is not', async () => {
    const node = makeTempFolder();
    const volumes = localVolumeFolders(node, 'a');
    await volumes.make(NAME);
    expect(volumes.pathOf(NAME)).toBe(path.join(node, 'persistent-volumes', NAME));
    expect(statSync(volumes.pathOf(NAME)).mode & 0o777).toBe(0o777);
    expect(statSync(path.dirname(volumes.pathOf(NAME))).mode & 0o007).toBe(0);
  });

  test('that exists already keeps its files', async () => {
    const volumes = localVolumeFolders(makeTempFolder(), 'a');
    await volumes.make(NAME);
    writeFileSync(path.join(volumes.pathOf(NAME), 'file'), 'text');
    await volumes.make(NAME);
    expect(readdirSync(volumes.pathOf(NAME))).toEqual(['file']);
  });

  test('is removed with all that is in it, and the target of a link stays', async () => {
    const [node, outside] = [makeTempFolder(), makeTempFolder()];
    const volumes = localVolumeFolders(node, 'a');
    writeFileSync(path.join(outside, 'kept'), 'text');
    await volumes.make(NAME);
    mkdirSync(path.join(volumes.pathOf(NAME), 'deep/er'), { recursive: true });
    symlinkSync(outside, path.join(volumes.pathOf(NAME), 'deep/link'));
    await volumes.remove(NAME);
    expect(existsSync(volumes.pathOf(NAME))).toBe(false);
    expect(readdirSync(outside)).toEqual(['kept']);
    await volumes.remove(NAME);
  });

  test('is never a link that stands in its place', async () => {
    const [node, outside] = [makeTempFolder(), makeTempFolder()];
    const volumes = localVolumeFolders(node, 'a');
    writeFileSync(path.join(outside, 'kept'), 'text');
    mkdirSync(path.dirname(volumes.pathOf(NAME)), { mode: 0o750 });
    symlinkSync(outside, volumes.pathOf(NAME));
    await expect(volumes.make(NAME)).rejects.toMatchObject({ code: 'LOCAL_VOLUME_UNUSABLE' });
    await volumes.remove(NAME);
    expect(existsSync(volumes.pathOf(NAME))).toBe(false);
    expect(readdirSync(outside)).toEqual(['kept']);
  });

  test('has a name that the provisioner gives, and no other', async () => {
    const node = makeTempFolder();
    const volumes = localVolumeFolders(path.join(node, 'node'), 'a');
    for (const name of EVIL) {
      await expect(volumes.make(name)).rejects.toMatchObject({ code: 'LOCAL_VOLUME_UNUSABLE' });
      await expect(volumes.remove(name)).rejects.toMatchObject({ code: 'LOCAL_VOLUME_UNUSABLE' });
    }
    expect(readdirSync(node)).toEqual([]);
  });
});
