/**
 * Volumes on real mounts: tmpfs, bind mounts of sub paths, group ownership, and a full disk. Only root may
 * mount, and not in every container.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeVolumeHarness, podWithVolumes } from '../../../test/support/volume-parts.ts';
import { writeAtomically } from './payload/atomic-writer.ts';
import { mountsIn } from './mounts/mounter.ts';
import { giveToGroup } from './mounts/ownership.ts';
import { openSubPath } from './mounts/sub-path.ts';
import { SystemMounter } from './mounts/system-mounter.ts';
import { removeTree } from './teardown/tree-removal.ts';
import { VolumeManager } from './volume-manager.ts';

const SIGNAL = new AbortController().signal;
const probe = new SystemMounter({ probeFolder: tmpdir() });
const mayMount = await probe.isPermitted();

beforeAll(() => {
  if (!mayMount) console.log('skipped: this user may not mount');
});

function makeRoot(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'podkeep-volumes-')));
  onTestFinished(async () => {
    for (const { folder } of await mountsIn(probe, root)) {
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
    }
    rmSync(root, { recursive: true, force: true });
  });
  return root;
}

describe.skipIf(!mayMount)('volumes on real mounts', () => {
  test('a folder behind a link releases its volumes, too', async () => {
    const root = makeRoot();
    const link = path.join(root, 'link');
    mkdirSync(path.join(root, 'real'));
    symlinkSync('real', link);
    const { deps, objects } = makeVolumeHarness({ root: link, mounter: probe });
    objects.set('Secret', 'door', { data: { key: Buffer.from('open').toString('base64') } });
    const pod = podWithVolumes([{ name: 's', secret: { secretName: 'door' } }]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    expect(await mountsIn(probe, root)).toHaveLength(1);
    await manager.waitForUnmount(pod, SIGNAL);
    expect(await mountsIn(probe, root)).toEqual([]);
  });

  test('what a killed podkeep left of its mount probe is unmounted and removed', async () => {
    const root = makeRoot();
    const left = path.join(root, '.mount-probe-abcdef');
    mkdirSync(left);
    await probe.mountMemory(left);
    await new SystemMounter({ probeFolder: root }).sweep();
    expect(readdirSync(root)).toEqual([]);
    expect(await mountsIn(probe, root)).toEqual([]);
  });

  test('secrets are in memory, and are removed with their pod', async () => {
    const root = makeRoot();
    const { deps, objects } = makeVolumeHarness({ root, mounter: probe });
    objects.set('Secret', 'door', { data: { key: Buffer.from('open').toString('base64') } });
    const pod = podWithVolumes([
      { name: 's', secret: { secretName: 'door' } },
      { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '64Ki' } },
    ]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const secret = manager.mounted('uid-1').get('s')?.hostPath ?? '';
    const memory = manager.mounted('uid-1').get('m')?.hostPath ?? '';
    expect(await mountsIn(probe, secret)).toEqual([{ folder: secret, fileSystem: 'tmpfs' }]);
    expect(readFileSync(path.join(secret, 'key'), 'utf8')).toBe('open');
    expect(() => writeFileSync(path.join(memory, 'big'), 'x'.repeat(100_000))).toThrow('ENOSPC');

    // A second manager, as after a restart: nothing is mounted twice, and the volumes stay.
    writeFileSync(path.join(memory, 'big'), '');
    const second = new VolumeManager(deps);
    await second.waitForMounts(pod, SIGNAL);
    expect(await mountsIn(probe, root)).toHaveLength(2);
    expect(existsSync(path.join(memory, 'big'))).toBe(true);
    await manager.stop();
    await second.waitForUnmount(pod, SIGNAL);
    expect(await mountsIn(probe, root)).toEqual([]);
    expect(await second.volumesExist('uid-1')).toBe(false);
  });

  test('a tmpfs in a tmpfs, and a tmpfs over a tmpfs, is removed with its pod', async () => {
    const root = makeRoot();
    const { deps } = makeVolumeHarness({ root, mounter: probe });
    const pod = podWithVolumes(
      ['a', 'b'].map((name) => ({ name, emptyDir: { medium: 'Memory', sizeLimit: '64Ki' } })),
    );
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const [a = '', b = ''] = [...manager.mounted('uid-1').values()].map(({ hostPath }) => hostPath);
    mkdirSync(path.join(a, 'inner'));
    await probe.mountMemory(path.join(a, 'inner'), 65_536n);
    await probe.mountMemory(b, 65_536n);
    await manager.waitForUnmount(pod, SIGNAL);
    expect(await mountsIn(probe, root)).toEqual([]);
    expect(await manager.volumesExist('uid-1')).toBe(false);
  });

  test('a link in the place of a volume is removed, but not what is mounted at its target', async () => {
    const root = makeRoot();
    const memory = path.join(root, 'memory');
    mkdirSync(memory);
    await probe.mountMemory(memory, 65_536n);
    writeFileSync(path.join(memory, 'precious'), 'x');
    const volumes = path.join(root, 'pods/uid-1/volumes/kubernetes.io~empty-dir');
    mkdirSync(volumes, { recursive: true });
    symlinkSync(memory, path.join(volumes, 'e'));
    const { deps } = makeVolumeHarness({ root, mounter: probe });
    await new VolumeManager(deps).removeOrphans(new Set());
    expect(readdirSync(path.join(root, 'pods'))).toEqual([]);
    expect(readFileSync(path.join(memory, 'precious'), 'utf8')).toBe('x');
  });

  test('a full disk leaves the old files, and nothing half written', async () => {
    const folder = path.join(makeRoot(), 'full');
    mkdirSync(folder);
    await probe.mountMemory(folder, 65_536n);
    const small = new Map([['a', { data: Buffer.from('old'), mode: 0o644 }]]);
    const large = new Map([['a', { data: Buffer.alloc(200_000), mode: 0o644 }]]);
    await writeAtomically(folder, small, { nowMs: 0 });
    const before = readdirSync(folder);
    await expect(writeAtomically(folder, large, { nowMs: 0 })).rejects.toThrow('ENOSPC');
    expect(readFileSync(path.join(folder, 'a'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(before);
  });

  test('a sub path is bound, and stays the same when its name is replaced', async () => {
    const root = makeRoot();
    const volumePath = path.join(root, 'volume');
    mkdirSync(path.join(volumePath, 'part'), { recursive: true });
    mkdirSync(path.join(root, 'node'));
    writeFileSync(path.join(volumePath, 'part/file'), 'mine');
    writeFileSync(path.join(root, 'node/file'), 'of the node');
    const target = path.join(root, 'pods/uid-1/volume-subpaths/v/main/0');
    const part = await openSubPath(probe, { volumePath, subPath: 'part', target });
    expect(part).toEqual({ hostPath: target });
    rmSync(path.join(volumePath, 'part/file'));
    writeFileSync(path.join(volumePath, 'part/file'), 'newer');
    execFileSync('mv', [path.join(volumePath, 'part'), path.join(volumePath, 'moved')]);
    symlinkSync(path.join(root, 'node'), path.join(volumePath, 'part'));
    expect(readFileSync(path.join(target, 'file'), 'utf8')).toBe('newer');

    const { deps } = makeVolumeHarness({ root, mounter: probe });
    await new VolumeManager(deps).removeOrphans(new Set());
    expect(readdirSync(path.join(root, 'pods'))).toEqual([]);
    expect(readFileSync(path.join(volumePath, 'moved/file'), 'utf8')).toBe('newer');
  });

  test('a single file is bound too, and again for the next start', async () => {
    const root = makeRoot();
    const volumePath = path.join(root, 'volume');
    mkdirSync(volumePath);
    writeFileSync(path.join(volumePath, 'file'), 'one');
    const target = path.join(root, 'target/0');
    const request = { volumePath, subPath: 'file', target };
    await openSubPath(probe, request);
    await openSubPath(probe, request);
    expect(readFileSync(target, 'utf8')).toBe('one');
    expect(await mountsIn(probe, target)).toHaveLength(1);
  });

  test('another file system below a folder is never entered', async () => {
    const root = makeRoot();
    const inner = path.join(root, 'gone/inner');
    mkdirSync(inner, { recursive: true });
    await probe.mountMemory(inner, 65_536n);
    writeFileSync(path.join(inner, 'precious'), 'x');
    await expect(removeTree(path.join(root, 'gone'))).rejects.toThrow('is mounted');
    expect(readFileSync(path.join(inner, 'precious'), 'utf8')).toBe('x');
  });

  test("files belong to the pod's group, and links are not followed", async () => {
    const root = makeRoot();
    const { deps, objects } = makeVolumeHarness({ root, mounter: probe });
    objects.set('ConfigMap', 'settings', { data: { level: 'debug' } });
    const pod = podWithVolumes(
      [
        { name: 'c', configMap: { name: 'settings', defaultMode: 0o600 } },
        { name: 'e', emptyDir: {} },
      ],
      { securityContext: { fsGroup: 4321 } },
    );
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const config = manager.mounted('uid-1').get('c')?.hostPath ?? '';
    const empty = manager.mounted('uid-1').get('e')?.hostPath ?? '';
    expect(statSync(path.join(config, 'level'))).toMatchObject({ gid: 4321 });
    expect(statSync(path.join(config, 'level')).mode & 0o7777).toBe(0o640);
    expect(statSync(config).mode & 0o7777).toBe(0o2777);
    expect(statSync(empty)).toMatchObject({ gid: 4321 });
    expect(statSync(empty).mode & 0o7777).toBe(0o2777);

    writeFileSync(path.join(root, 'outside'), 'x', { mode: 0o600 });
    symlinkSync(path.join(root, 'outside'), path.join(empty, 'link'));
    lchownSync(path.join(empty, 'link'), 0, 5);
    const request = { folder: empty, group: 99, isReadOnly: false };
    expect(await giveToGroup({ ...request, group: 4321, onlyOnMismatch: true })).toBe(0);
    expect(lstatSync(path.join(empty, 'link')).gid).toBe(5);
    expect(await giveToGroup(request)).toBe(0);
    expect(lstatSync(path.join(empty, 'link')).gid).toBe(99);
    expect(statSync(path.join(root, 'outside'))).toMatchObject({ gid: 0 });
    expect(statSync(path.join(root, 'outside')).mode & 0o777).toBe(0o600);
  });
});
