import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { parseMountInfo, SystemMounter } from './system-mounter.ts';

function makeHarness(refuses: (line: string) => boolean = () => false, isRoot = true) {
  const lines: string[] = [];
  const probeFolder = makeTempFolder();
  const run = async (command: string, args: readonly string[]): Promise<void> => {
    const line = [command, ...args].join(' ').replaceAll(/\/\S*\.mount-probe-\w+/g, 'PROBE');
    lines.push(line);
    const stderr = 'mount: permission denied.\n';
    if (refuses(line)) throw Object.assign(new Error('failed'), { stderr });
  };
  return { lines, probeFolder, mounter: new SystemMounter({ probeFolder, run, isRoot }) };
}

describe('mounts of this machine', () => {
  test('are probed once before they are used, and nothing stays', async () => {
    const { lines, mounter, probeFolder } = makeHarness();
    expect(await mounter.isPermitted()).toBe(true);
    expect(await mounter.isPermitted()).toBe(true);
    expect(lines).toEqual([
      'mount -t tmpfs -o nosuid,nodev,size=65536,noswap -- tmpfs PROBE',
      'umount -- PROBE',
    ]);
    expect(readdirSync(probeFolder)).toEqual([]);
  });

  test('leave nothing of a probe whose podkeep was killed', async () => {
    const { mounter, probeFolder } = makeHarness();
    for (const name of ['.mount-probe-abc', 'pods']) mkdirSync(path.join(probeFolder, name));
    await mounter.sweep();
    expect(readdirSync(probeFolder)).toEqual(['pods']);
    rmdirSync(path.join(probeFolder, 'pods'));
    rmdirSync(probeFolder);
    await mounter.sweep(); // nothing to sweep, and no error
  });

  test('work without the newest option on an old kernel', async () => {
    const { lines, mounter } = makeHarness((line) => line.includes('noswap'));
    expect(await mounter.isPermitted()).toBe(true);
    await mounter.mountMemory('/a', 5n);
    await mounter.mountMemory('/b');
    expect(lines.slice(3)).toEqual([
      'mount -t tmpfs -o nosuid,nodev,size=5 -- tmpfs /a',
      'mount -t tmpfs -o nosuid,nodev -- tmpfs /b',
    ]);
  });

  test('are not permitted to other users, nor where the kernel refuses', async () => {
    const other = makeHarness(() => false, false);
    expect(await other.mounter.isPermitted()).toBe(false);
    expect(other.lines).toEqual([]);
    const caged = makeHarness((line) => line.startsWith('mount'));
    expect(await caged.mounter.isPermitted()).toBe(false);
  });

  test('have a reason when they fail', async () => {
    const { mounter } = makeHarness(() => true);
    await expect(mounter.bind('/a', '/b')).rejects.toMatchObject({
      code: 'MOUNT_FAILED',
      message: 'mount failed at /b: mount: permission denied.',
    });
    await expect(mounter.unmount('/b')).rejects.toThrow('permission denied');
  });

  test('of an open file do not resolve its name', async () => {
    const { lines, mounter } = makeHarness();
    await mounter.bind('/proc/1/fd/2', '/b');
    expect(lines).toEqual(['mount --no-canonicalize --bind -- /proc/1/fd/2 /b']);
  });

  test('are read from the kernel', async () => {
    const text =
      '36 35 98:0 /root /a\\040b rw,noatime master:1 - ext4 /dev/root rw\n' +
      '37 35 0:9 / /c rw - tmpfs tmpfs rw\n\n';
    expect(parseMountInfo(text)).toEqual([
      { folder: '/a b', fileSystem: 'ext4' },
      { folder: '/c', fileSystem: 'tmpfs' },
    ]);
    expect((await makeHarness().mounter.list()).length).toBeGreaterThan(0);
  });
});
