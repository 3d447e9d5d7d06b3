import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { FakeMounter, makeVolumeHarness } from '../../../test/support/volume-parts.ts';
import type { MadeVolume } from '../volumes/volume-maker.ts';
import { VolumeContainerInputs } from './container-inputs.ts';

const SIGNAL = new AbortController().signal;

function makeHarness(mounter = new FakeMounter(), mountsParts = true) {
  const { root, deps } = makeVolumeHarness({ mounter });
  const folder = path.join(root, 'pods/uid-1/volumes/kubernetes.io~empty-dir/data');
  mkdirSync(folder, { recursive: true });
  const nodeHostsFile = path.join(root, 'node-hosts');
  writeFileSync(nodeHostsFile, '127.0.0.1 node\n');
  const volume = (isReadOnly: boolean): MadeVolume => ({
    name: 'data',
    hostPath: folder,
    isReadOnly,
    group: 77,
    renewAtMs: null,
  });
  const mounted = new Map([
    ['data', volume(false)],
    ['config', volume(true)],
  ]);
  const inputs = new VolumeContainerInputs({
    ...deps,
    log: silentLog,
    clusterDomain: 'cluster.local',
    supportsRecursiveReadOnly: () => false,
    mountsImageSubPaths: () => mountsParts,
    nodeHostsFile,
    volumes: { mounted: () => mounted },
  });
  const imageVolumes = new Map<string, string>();
  const resolve = (container: object, podIPs: readonly string[] = [], spec: object = {}) => {
    const main = { name: 'main', ...container };
    const pod: Pod = {
      metadata: { name: 'web', namespace: 'shop', uid: 'uid-1' },
      spec: { containers: [main], ...spec },
    };
    return inputs.resolve({ pod, container: main, podIPs, imageVolumes }, SIGNAL);
  };
  const mount = (wish: object) =>
    resolve({ env: [{ name: 'DIR', value: 'a' }], volumeMounts: [wish] });
  return { root, folder, resolve, mount, imageVolumes };
}

describe('the inputs of a container', () => {
  test('are its command and arguments, with variables expanded', async () => {
    const { resolve } = makeHarness();
    const inputs = await resolve({
      command: ['echo', '$(WHO) $$(WHO) $(NOBODY)'],
      args: ['$(WHO)!'],
      env: [{ name: 'WHO', value: 'world' }],
    });
    expect(inputs).toMatchObject({
      command: ['echo', 'world $(WHO) $(NOBODY)'],
      args: ['world!'],
      env: [{ name: 'WHO', value: 'world' }],
      mounts: [],
      supplementalGroups: [77],
    });
  });

  test('are its volumes, read-only if either side says so', async () => {
    const { folder, resolve } = makeHarness();
    const { mounts } = await resolve({
      volumeMounts: [
        { name: 'data', mountPath: '/data', mountPropagation: 'HostToContainer' },
        { name: 'data', mountPath: 'relative', readOnly: true },
        { name: 'config', mountPath: '/config' },
      ],
    });
    const base = { hostPath: folder, isRecursiveReadOnly: false };
    expect(mounts).toEqual([
      { ...base, containerPath: '/data', isReadOnly: false, propagation: 'HostToContainer' },
      { ...base, containerPath: '/relative', isReadOnly: true, propagation: 'None' },
      { ...base, containerPath: '/config', isReadOnly: true, propagation: 'None' },
    ]);
  });

  test('are sub paths of volumes, whose path may have variables', async () => {
    const { folder, mount } = makeHarness();
    const wish = { name: 'data', mountPath: '/x', subPathExpr: '$(DIR)/b' };
    expect((await mount(wish)).mounts[0]?.hostPath).toBe(path.join(folder, 'a/b'));
    expect(statSync(path.join(folder, 'a/b')).isDirectory()).toBe(true);
  });

  test.each([
    [{ subPath: '/abs' }, 'error SubPath `/abs` must not be an absolute path'],
    [{ subPath: 'a/../b' }, "unable to provision SubPath `a/../b`: must not contain '..'"],
    [{ subPathExpr: '$(NO)/$(DIR)/$(ANY)' }, 'missing value for ANY, NO'],
    [{ subPath: 'out/x' }, 'failed to prepare subPath for volumeMount "data" of container "main"'],
    [{ name: 'none' }, 'cannot find volume "none" to mount into container "main"'],
    [
      { recursiveReadOnly: 'Enabled' },
      'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode, but it is not read-only',
    ],
    [
      { recursiveReadOnly: 'Enabled', readOnly: true },
      'failed to resolve recursive read-only mode: volume "data" requested recursive read-only mode, but it is not supported by the runtime',
    ],
  ])('%j is refused with the message of a kubelet', async (wish, words) => {
    const { folder, mount } = makeHarness();
    symlinkSync('/etc', path.join(folder, 'out'));
    const mounting = mount({ name: 'data', mountPath: '/x', ...wish });
    await expect(mounting).rejects.toMatchObject({
      code: 'CONTAINER_INPUT_UNRESOLVED',
      message: words,
    });
  });

  test('is the hosts file, written in place', async () => {
    const { root, resolve } = makeHarness();
    const { mounts } = await resolve({}, ['10.0.0.7']);
    const hostPath = path.join(root, 'pods/uid-1/etc-hosts');
    expect(mounts).toEqual([
      {
        containerPath: '/etc/hosts',
        hostPath,
        isReadOnly: false,
        isRecursiveReadOnly: false,
        propagation: 'None',
      },
    ]);
    expect(readFileSync(hostPath, 'utf8')).toContain('10.0.0.7\tweb\n');
    const { ino } = statSync(hostPath);
    await resolve({}, ['10.0.0.8']);
    expect(readFileSync(hostPath, 'utf8')).toContain('10.0.0.8\tweb\n');
    expect(statSync(hostPath)).toMatchObject({ ino });
    expect(statSync(hostPath).mode & 0o777).toBe(0o644);
  });

  test("is the node's hosts file on the host network, and none if the container mounts its own", async () => {
    const { root, resolve } = makeHarness();
    await resolve({}, [], { hostNetwork: true });
    expect(readFileSync(path.join(root, 'pods/uid-1/etc-hosts'), 'utf8')).toBe(
      '# Kubernetes-managed hosts file (host network).\n127.0.0.1 node\n',
    );
    const volumeMounts = [{ name: 'data', mountPath: '/etc/hosts' }];
    expect((await resolve({ volumeMounts }, ['10.0.0.7'])).mounts).toHaveLength(1);
  });

  test('are variables from files in its volumes, but not from outside of them', async () => {
    const { folder, resolve } = makeHarness();
    writeFileSync(path.join(folder, 'app.env'), "TOKEN='t'\n");
    symlinkSync('/etc/passwd', path.join(folder, 'out.env'));
    const envOf = (file: string) => [
      { name: 'T', valueFrom: { fileKeyRef: { volumeName: 'data', path: file, key: 'TOKEN' } } },
    ];
    const { env } = await resolve({ env: envOf('app.env') });
    expect(env).toEqual([{ name: 'T', value: 't' }]);
    const reading = resolve({ env: envOf('out.env') });
    await expect(reading).rejects.toThrow(/^couldn't parse env file$/);
  });
});

describe('an image volume', () => {
  const wish = { name: 'config', mountPath: '/files' };

  test('is mounted by the reference of its pull, whole or in part', async () => {
    const { mount, imageVolumes } = makeHarness();
    imageVolumes.set('config', 'sha256:1');
    const mounted = { containerPath: '/files', hostPath: '', imageRef: 'sha256:1' };
    expect((await mount(wish)).mounts).toMatchObject([mounted]);
    expect((await mount({ ...wish, subPath: 'etc' })).mounts).toMatchObject([
      { ...mounted, imageSubPath: 'etc' },
    ]);
  });

  test('a part is refused if the runtime would mount all of it', async () => {
    const { mount, imageVolumes } = makeHarness(new FakeMounter(), false);
    imageVolumes.set('config', 'sha256:1');
    await expect(mount({ ...wish, subPath: 'etc' })).rejects.toThrow(
      /cannot mount a subPath of image volume "config"/,
    );
  });
});
