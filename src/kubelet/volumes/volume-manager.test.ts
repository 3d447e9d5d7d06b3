import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  FakeMounter,
  makeVolumeHarness,
  podWithVolumes,
  until,
} from '../../../test/support/volume-parts.ts';
import { VolumeManager } from './volume-manager.ts';

const SIGNAL = new AbortController().signal;
const SETTINGS = { name: 'v', configMap: { name: 'settings' } };
const NOT_FOUND =
  'Warning FailedMount MountVolume.SetUp failed for volume "v" : configmap "nope" not found';

function read(...steps: readonly string[]): string {
  return readFileSync(path.join(...steps), 'utf8');
}

describe('the volumes of a pod', () => {
  test('exist when the wait is over, in the folders of a kubelet', async () => {
    const { deps, root, objects } = makeVolumeHarness();
    objects.set('ConfigMap', 'settings', { data: { level: 'debug' } });
    objects.set('Secret', 'door', { data: { key: Buffer.from('open').toString('base64') } });
    const pod = podWithVolumes([
      SETTINGS,
      { name: 'scratch', emptyDir: {} },
      {
        name: 's',
        secret: { secretName: 'door', items: [{ key: 'key', path: 'k', mode: 0o400 }] },
      },
      {
        name: 'down',
        downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
      },
    ]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const folder = path.join(root, 'pods/uid-1/volumes');
    expect(read(folder, 'kubernetes.io~configmap/v/level')).toBe('debug');
    expect(read(folder, 'kubernetes.io~secret/s/k')).toBe('open');
    expect(statSync(path.join(folder, 'kubernetes.io~secret/s/k')).mode & 0o777).toBe(0o400);
    expect(read(folder, 'kubernetes.io~downward-api/down/labels')).toBe('app="web"');
    expect(statSync(path.join(folder, 'kubernetes.io~empty-dir/scratch')).mode & 0o777).toBe(0o777);
    expect([...manager.mounted('uid-1').keys()].sort()).toEqual(['down', 's', 'scratch', 'v']);
    expect(manager.mounted('uid-1').get('v')?.isReadOnly).toBe(true);
    expect(manager.mounted('uid-1').get('scratch')?.isReadOnly).toBe(false);
  });

  test('an image is left to the runtime, and refused if that cannot mount images', async () => {
    const { deps, events } = makeVolumeHarness();
    const pod = podWithVolumes([{ name: 'files', image: { reference: 'files:1' } }]);
    const able = new VolumeManager({ ...deps, mountsImages: () => true });
    await able.waitForMounts(pod, SIGNAL);
    expect(able.mounted('uid-1').get('files')).toMatchObject({ hostPath: '', isReadOnly: true });
    const stop = new AbortController();
    const waiting = new VolumeManager(deps).waitForMounts(pod, stop.signal).catch(() => {});
    await until(() => events.length > 0);
    stop.abort();
    await waiting;
    expect(events[0]).toBe(
      'Warning FailedMount MountVolume.SetUp failed for volume "files" : ' +
        'the container runtime of this node cannot mount the image of volume "files"',
    );
  });

  test('that no container mounts are not made', async () => {
    const { deps, root } = makeVolumeHarness();
    const pod = podWithVolumes([], { volumes: [{ name: 'idle', emptyDir: {} }] });
    await new VolumeManager(deps).waitForMounts(pod, SIGNAL);
    expect(existsSync(root)).toBe(false);
  });

  test('are tried again after half a second, then after twice as long', async () => {
    const { deps, events, clock, objects } = makeVolumeHarness();
    const pod = podWithVolumes([{ name: 'v', configMap: { name: 'nope' } }]);
    let isThere = false;
    const waiting = new VolumeManager(deps).waitForMounts(pod, SIGNAL).then(() => {
      isThere = true;
    });
    await until(() => clock.pending > 0 && events.length === 1);
    expect(events).toEqual([NOT_FOUND]);
    await clock.pass(499);
    expect(objects.reads).toBe(1);
    await clock.pass(1);
    await until(() => events.length === 2);
    await until(() => clock.pending > 0);
    await clock.pass(999);
    expect(objects.reads).toBe(2);
    objects.set('ConfigMap', 'nope', { data: {} });
    await clock.pass(1);
    await until(() => isThere);
    await waiting;
  });

  test('are given up after two minutes and three seconds, with the message of a kubelet', async () => {
    const { deps, clock, events } = makeVolumeHarness();
    const pod = podWithVolumes([
      { name: 'v', configMap: { name: 'nope' } },
      { name: 'fine', emptyDir: {} },
    ]);
    const manager = new VolumeManager(deps);
    let failure: Error | null = null;
    const waiting = manager.waitForMounts(pod, SIGNAL).catch((error: Error) => {
      failure = error;
    });
    await until(() => manager.mounted('uid-1').has('fine') && events.length === 1);
    await clock.pass(122_999);
    expect(failure).toBeNull();
    await clock.pass(1);
    await until(() => failure !== null);
    await waiting;
    expect(failure).toMatchObject({
      code: 'VOLUMES_NOT_MOUNTED',
      message:
        'unmounted volumes=[v], unattached volumes=[], failed to process volumes=[]: ' +
        'context deadline exceeded',
    });
    expect(clock.monotonic()).toBe(123_000);
    // After 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5 and 63.5 seconds; the next would come too late.
    expect(events).toHaveLength(8);
  });

  test('are not waited for any longer when the pod has to end (F-21)', async () => {
    const { deps, clock } = makeVolumeHarness();
    const pod = podWithVolumes([{ name: 'v', configMap: { name: 'nope' } }]);
    const controller = new AbortController();
    const manager = new VolumeManager(deps);
    const waiting = manager.waitForMounts(pod, controller.signal);
    await until(() => clock.pending > 0);
    const reason = new Error('overtaken');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
    await manager.waitForUnmount(pod, SIGNAL);
    expect(await manager.volumesExist('uid-1')).toBe(false);
  });

  test('of other kinds are refused by name', async () => {
    const { deps, events } = makeVolumeHarness();
    const pod = podWithVolumes([{ name: 'far', nfs: { server: 's', path: '/' } }]);
    const controller = new AbortController();
    const waiting = new VolumeManager(deps).waitForMounts(pod, controller.signal);
    await until(() => events.length > 0);
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(events).toEqual([
      'Warning FailedMount MountVolume.SetUp failed for volume "far" : ' +
        'podkeep does not mount volumes of the kind nfs',
    ]);
  });

  test('whose folder is a file are refused', async () => {
    const { deps, root, events } = makeVolumeHarness();
    mkdirSync(path.join(root, 'pods/uid-1/volumes'), { recursive: true });
    writeFileSync(path.join(root, 'pods/uid-1/volumes/kubernetes.io~empty-dir'), '');
    const controller = new AbortController();
    const pod = podWithVolumes([{ name: 'e', emptyDir: {} }]);
    const waiting = new VolumeManager(deps).waitForMounts(pod, controller.signal);
    await until(() => events.length > 0);
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(events[0]).toMatch(
      /^Warning FailedMount MountVolume.SetUp failed for volume "e" : mkdir /,
    );
    expect(events[0]).toMatch(/: (not a directory|file exists)$/);
  });
});

describe('volumes that show objects', () => {
  test('are updated when the objects change', async () => {
    const { deps, root, objects } = makeVolumeHarness();
    objects.set('ConfigMap', 'settings', { data: { level: 'debug' } });
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(podWithVolumes([SETTINGS]), SIGNAL);
    const folder = path.join(root, 'pods/uid-1/volumes/kubernetes.io~configmap/v');
    objects.set('ConfigMap', 'settings', { data: { level: 'info' } });
    await until(() => read(folder, 'level') === 'info');
    await manager.stop();
    expect(objects.listeners).toBe(0);
    objects.set('ConfigMap', 'settings', { data: { level: 'never seen' } });
    expect(read(folder, 'level')).toBe('info');
  });

  test('keep their files when the object is deleted, with an Event', async () => {
    const { deps, root, objects, events, clock } = makeVolumeHarness();
    objects.set('ConfigMap', 'nope', { data: { level: 'debug' } });
    const pod = podWithVolumes([{ name: 'v', configMap: { name: 'nope' } }]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    objects.set('ConfigMap', 'nope', null);
    await until(() => events.length > 0);
    expect(events).toEqual([NOT_FOUND]);
    const folder = path.join(root, 'pods/uid-1/volumes/kubernetes.io~configmap/v');
    expect(read(folder, 'level')).toBe('debug');
    // A sync before the next try does not wait for it.
    await manager.waitForMounts(pod, SIGNAL);
    expect(events).toHaveLength(1);
    objects.set('ConfigMap', 'nope', { data: { level: 'back' } });
    await until(() => read(folder, 'level') === 'back');
    await until(() => clock.pending === 0);
  });

  test("show the pod's new metadata at the next sync", async () => {
    const { deps, root } = makeVolumeHarness();
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    const pod = podWithVolumes([{ name: 'd', downwardAPI: { items } }]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const changed = { ...pod, metadata: { ...pod.metadata, labels: { app: 'shop' } } };
    await manager.waitForMounts(changed, SIGNAL);
    const folder = path.join(root, 'pods/uid-1/volumes/kubernetes.io~downward-api/d');
    expect(read(folder, 'labels')).toBe('app="shop"');
  });

  test('renew a token when a fifth of its lifetime is left', async () => {
    const { deps, root, source, clock } = makeVolumeHarness();
    const serviceAccountToken = { path: 'token', audience: 'vault', expirationSeconds: 1000 };
    const pod = podWithVolumes([
      { name: 't', projected: { sources: [{ serviceAccountToken }], defaultMode: 0o600 } },
    ]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const file = path.join(root, 'pods/uid-1/volumes/kubernetes.io~projected/t/token');
    expect(read(file)).toBe('token-1');
    expect(source.requests).toEqual([
      { account: 'default', spec: { audiences: ['vault'], expirationSeconds: 1000 } },
    ]);
    await clock.pass(800_000);
    expect(read(file)).toBe('token-1');
    await clock.pass(1);
    await until(() => read(file) === 'token-2' && clock.pending > 0);
    source.failure = new Error('no API server');
    await clock.pass(800_001);
    // It is still valid: the old one stays, and a new one is requested later.
    await until(() => clock.pending > 0);
    expect(read(file)).toBe('token-2');
    source.failure = null;
    await clock.pass(10_000);
    await until(() => read(file) === 'token-3');
    await manager.waitForUnmount(pod, SIGNAL);
    expect(clock.pending).toBe(0);
  });
});

describe('the files of a pod', () => {
  test('are removed, and nothing else', async () => {
    const { deps, root, objects } = makeVolumeHarness();
    objects.set('ConfigMap', 'settings', { data: { level: 'debug' } });
    const outside = path.join(root, '..', 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'precious'), 'x');
    const pod = podWithVolumes([
      SETTINGS,
      { name: 'scratch', emptyDir: {} },
      { name: 'host', hostPath: { path: outside, type: 'Directory' } },
    ]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const scratch = manager.mounted('uid-1').get('scratch')?.hostPath ?? '';
    symlinkSync(outside, path.join(scratch, 'link'));
    expect(await manager.volumesExist('uid-1')).toBe(true);
    await manager.waitForUnmount(pod, SIGNAL);
    expect(await manager.volumesExist('uid-1')).toBe(false);
    expect(read(outside, 'precious')).toBe('x');
    expect(objects.listeners).toBe(0);
  });

  test('are found after a restart, without any state in memory', async () => {
    const { deps, root, objects } = makeVolumeHarness({ mounter: new FakeMounter(true) });
    objects.set('ConfigMap', 'settings', { data: { level: 'debug' } });
    const pod = podWithVolumes([SETTINGS, { name: 'e', emptyDir: { medium: 'Memory' } }]);
    await new VolumeManager(deps).waitForMounts(pod, SIGNAL);
    const second = new VolumeManager(deps);
    expect(await second.volumesExist('uid-1')).toBe(true);
    await second.removeOrphans(new Set(['uid-1']));
    expect(await second.volumesExist('uid-1')).toBe(true);
    await second.removeOrphans(new Set());
    expect(readdirSync(path.join(root, 'pods'))).toEqual([]);
    expect(await deps.mounter.list()).toEqual([]);
  });

  test('stay as long as they are mounted, with an Event', async () => {
    const mounter = new FakeMounter(true);
    const { deps, events, clock } = makeVolumeHarness({ mounter });
    const pod = podWithVolumes([{ name: 'e', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }]);
    const manager = new VolumeManager(deps);
    await manager.waitForMounts(pod, SIGNAL);
    const folder = manager.mounted('uid-1').get('e')?.hostPath ?? '';
    expect(mounter.mounts).toEqual([{ folder, fileSystem: 'tmpfs', sizeBytes: 1_048_576n }]);
    mounter.busy.add(folder);
    let isOver = false;
    const waiting = manager.waitForUnmount(pod, SIGNAL).then(() => {
      isOver = true;
    });
    await until(() => events.length === 1 && clock.pending > 0);
    expect(events).toEqual([
      `Warning FailedUnMount UnmountVolume.TearDown failed for volume "e" : umount: ${folder}: target is busy.`,
    ]);
    expect(existsSync(folder)).toBe(true);
    mounter.busy.clear();
    await clock.pass(500);
    await until(() => isOver);
    await waiting;
    expect(existsSync(folder)).toBe(false);
  });

  test('are not removed while another user has mounted something in them', async () => {
    const mounter = new FakeMounter(true);
    const { deps, root } = makeVolumeHarness({ mounter });
    const folder = path.join(root, 'pods/uid-1/volumes/kubernetes.io~empty-dir/e');
    mkdirSync(path.join(folder, 'disk'), { recursive: true });
    writeFileSync(path.join(folder, 'disk/precious'), 'x');
    mounter.mounts.push({ folder: path.join(folder, 'disk'), fileSystem: 'xfs' });
    await new VolumeManager(deps).removeOrphans(new Set());
    expect(read(folder, 'disk/precious')).toBe('x');
    expect(mounter.mounts).toHaveLength(1);
  });

  test('are never removed through a path of the node that is still bound', async () => {
    const mounter = new FakeMounter(true);
    const { deps, root } = makeVolumeHarness({ mounter });
    const target = path.join(root, 'pods/uid-1/volume-subpaths/host/main/0');
    mkdirSync(target, { recursive: true });
    // What the bind mount would show: files of the node.
    writeFileSync(path.join(target, 'precious'), 'x');
    await mounter.bind('/data', target);
    mounter.busy.add(target);
    await new VolumeManager(deps).removeOrphans(new Set());
    expect(read(target, 'precious')).toBe('x');
    rmSync(target, { recursive: true });
  });
});
