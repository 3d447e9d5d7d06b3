import { expect, test } from 'vitest';
import { containerConfigOf, sandboxConfigOf } from '../../../../test/support/runtime-configs.ts';
import { ContainerConfigMessage } from '../messages/container-messages.ts';
import { PodSandboxConfig } from '../messages/sandbox-messages.ts';
import { containerMessage } from './container-request.ts';
import { sandboxMessage } from './sandbox-request.ts';
import { profileMessage } from './security.ts';

const sent = (changes = {}) =>
  PodSandboxConfig.read(PodSandboxConfig.write(sandboxMessage(sandboxConfigOf(changes))));
const sentContainer = (changes = {}, sandbox = {}) =>
  ContainerConfigMessage.read(
    ContainerConfigMessage.write(
      containerMessage(containerConfigOf(changes), sandboxMessage(sandboxConfigOf(sandbox))),
    ),
  );

test('a sandbox request has its identity, its log folder and its namespaces', () => {
  const { metadata, labels, logDirectory, hostname, linux, portMappings } = sent({
    attempt: 3,
    labels: { app: 'web', 'io.kubernetes.pod.uid': 'another' },
    cgroupParent: '/kubepods/pod1',
    sysctls: { 'net.core.somaxconn': '1024' },
    hostPorts: [{ protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIp: '10.0.0.1' }],
    security: {
      isPrivileged: true,
      runAsUser: 0,
      supplementalGroups: [7],
      seccomp: 'runtime/default',
    },
  });
  expect(metadata).toEqual({ name: 'web', namespace: 'shop', uid: 'uid-1', attempt: 3 });
  // A pod cannot pretend to be another.
  expect(labels).toEqual({
    app: 'web',
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'shop',
    'io.kubernetes.pod.uid': 'uid-1',
  });
  expect(logDirectory).toBe('/var/log/pods/shop_web_uid-1');
  expect(hostname).toBe('web');
  expect(portMappings).toEqual([
    { protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIp: '10.0.0.1' },
  ]);
  expect(linux).toMatchObject({
    cgroupParent: '/kubepods/pod1',
    sysctls: { 'net.core.somaxconn': '1024' },
    securityContext: {
      privileged: true,
      // UID zero is a user; it is not left out.
      runAsUser: { value: 0 },
      runAsGroup: undefined,
      supplementalGroups: [7],
      seccomp: { profileType: 'RuntimeDefault' },
      namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD' },
    },
  });
});

test('namespaces are those of the node, the pod or the container', () => {
  const namespaces = (changes: object) => sent(changes).linux?.securityContext?.namespaceOptions;
  const host = { hostNetwork: true, hostPid: true, hostIpc: true };
  expect(namespaces(host)).toMatchObject({ network: 'NODE', pid: 'NODE', ipc: 'NODE' });
  expect(namespaces({ sharesProcesses: true })).toMatchObject({ network: 'POD', pid: 'POD' });
  // With the host's network comes the host's name.
  expect(sent(host).hostname).toBe('');
});

test('a container is found again by its labels', () => {
  const { metadata, labels, annotations, image } = sentContainer({
    attempt: 4,
    labels: { 'io.kubernetes.container.name': 'main' },
    annotations: { 'io.kubernetes.container.hash': 'abc' },
  });
  expect(metadata).toEqual({ name: 'main', attempt: 4 });
  expect(labels).toEqual({
    'io.kubernetes.container.name': 'main',
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'shop',
    'io.kubernetes.pod.uid': 'uid-1',
  });
  expect(annotations).toEqual({
    'io.kubernetes.container.hash': 'abc',
    'io.kubernetes.container.restartCount': '4',
  });
  expect(image).toMatchObject({ image: 'sha256:abc', userSpecifiedImage: 'busybox:1.36' });
});

test('a container has its mounts, variables, limits and rights', () => {
  const config = sentContainer({
    env: [{ name: 'A', value: 'größe' }],
    mounts: [
      {
        containerPath: '/data',
        hostPath: '/srv',
        isReadOnly: true,
        isRecursiveReadOnly: true,
        propagation: 'Bidirectional',
      },
      {
        containerPath: '/image',
        hostPath: '',
        isReadOnly: true,
        isRecursiveReadOnly: false,
        propagation: 'None',
        imageRef: 'sha256:def',
        imageSubPath: 'etc',
      },
    ],
    devices: ['/dev/fuse'],
    stopSignal: 'SIGRTMIN+3',
    resources: {
      cpuShares: 102,
      cpuQuota: 50_000,
      cpuPeriod: 100_000,
      memoryLimitBytes: 2 ** 40,
      oomScoreAdjust: -997,
      hugePages: [{ pageSize: '2MB', limitBytes: 0 }],
      unified: { 'memory.high': '1' },
    },
    security: {
      isPrivileged: false,
      isReadOnlyRoot: true,
      noNewPrivileges: true,
      addedCapabilities: ['NET_ADMIN'],
      droppedCapabilities: ['ALL'],
      runAsUser: 1000,
      runAsGroup: 2000,
      supplementalGroups: [3000],
      supplementalGroupsPolicy: 'Strict',
      seccomp: 'localhost//var/lib/kubelet/seccomp/a.json',
      appArmor: 'unconfined',
      seLinux: { level: 's0:c1' },
      targetContainerId: 'containerd://target',
    },
  });
  expect(new TextDecoder().decode(config.envs[0]?.value)).toBe('größe');
  expect(config.mounts).toMatchObject([
    {
      containerPath: '/data',
      hostPath: '/srv',
      readonly: true,
      recursiveReadOnly: true,
      propagation: 'PROPAGATION_BIDIRECTIONAL',
    },
    { image: { image: 'sha256:def' }, imageSubPath: 'etc' },
  ]);
  expect(config.devices).toEqual([
    { hostPath: '/dev/fuse', containerPath: '/dev/fuse', permissions: 'rwm' },
  ]);
  expect(config.stopSignal).toBe('SIGRTMINPLUS3');
  expect(config.linux?.resources).toMatchObject({
    cpuShares: 102,
    cpuQuota: 50_000,
    cpuPeriod: 100_000,
    memoryLimitInBytes: 2 ** 40,
    oomScoreAdj: -997,
    hugepageLimits: [{ pageSize: '2MB', limit: 0 }],
    unified: { 'memory.high': '1' },
  });
  expect(config.linux?.securityContext).toMatchObject({
    readonlyRootfs: true,
    noNewPrivs: true,
    capabilities: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['ALL'] },
    runAsUser: { value: 1000 },
    runAsGroup: { value: 2000 },
    supplementalGroups: [3000],
    supplementalGroupsPolicy: 'Strict',
    seccomp: { profileType: 'Localhost', localhostRef: '/var/lib/kubelet/seccomp/a.json' },
    apparmor: { profileType: 'Unconfined' },
    selinuxOptions: { level: 's0:c1' },
    namespaceOptions: { network: 'POD', pid: 'TARGET', targetId: 'target' },
  });
});

test('default masked paths are those of the kubelet, and privileged containers have none', () => {
  const { security } = containerConfigOf();
  const pathsOf = (changes: object) => {
    const context = sentContainer({ security: { ...security, ...changes } }).linux?.securityContext;
    return [context?.maskedPaths.length, context?.readonlyPaths.length];
  };
  expect(pathsOf({})).toEqual([12, 5]);
  expect(pathsOf({ maskedPaths: ['/proc/kcore'], readonlyPaths: [] })).toEqual([1, 0]);
  expect(pathsOf({ isPrivileged: true })).toEqual([0, 0]);
});

test('a stop signal that CRI does not know is left to the image', () => {
  expect(sentContainer({ stopSignal: 'SIGNONSENSE' }).stopSignal).toBe('RUNTIME_DEFAULT');
});

test('profiles have three kinds, and none is none', () => {
  expect(profileMessage(undefined)).toBeUndefined();
  expect(profileMessage('runtime/default')).toEqual({ profileType: 'RuntimeDefault' });
  expect(profileMessage('unconfined')).toEqual({ profileType: 'Unconfined' });
  expect(profileMessage('localhost/mine')).toEqual({
    profileType: 'Localhost',
    localhostRef: 'mine',
  });
});
