import { expect, test } from 'vitest';
import { ContainerStatus } from '../messages/container-messages.ts';
import { PodSandboxStatus } from '../messages/sandbox-messages.ts';
import { viewContainer } from './container-view.ts';
import { viewSandbox } from './sandbox-view.ts';
import { timeOf } from './time-view.ts';

const SECOND = 1_000_000_000n;

const view = (status: Parameters<typeof ContainerStatus.write>[0]) =>
  viewContainer(ContainerStatus.read(ContainerStatus.write(status)), 's1', 'containerd').container;

test('times have as many digits as they need', () => {
  expect(timeOf(0n)).toBe('1970-01-01T00:00:00Z');
  expect(timeOf(1_763_340_000_123_456_789n)).toBe('2025-11-17T00:40:00.123456789Z');
  expect(timeOf(1_763_340_000_500_000_000n)).toBe('2025-11-17T00:40:00.5Z');
  expect(timeOf(-1n)).toBe('1969-12-31T23:59:59.999999999Z');
});

test('a container of the real kubelet is read by its labels', () => {
  const running = view({
    id: 'abc',
    metadata: { name: 'other', attempt: 1 },
    state: 'CONTAINER_RUNNING',
    createdAt: 10n * SECOND,
    startedAt: 11n * SECOND,
    image: { image: 'docker.io/library/busybox:1.36' },
    imageRef: 'docker.io/library/busybox@sha256:def',
    labels: { 'io.kubernetes.container.name': 'main' },
    annotations: {
      'io.kubernetes.container.restartCount': '4',
      'io.kubernetes.container.hash': '1a2b',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    },
    mounts: [
      { containerPath: '/data', hostPath: '/srv' },
      { containerPath: '/dev/termination-log', hostPath: '/var/lib/kubelet/pods/u/last' },
    ],
    resources: { linux: { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000 } },
    user: { linux: { uid: 1000, gid: 2000, supplementalGroups: [3000] } },
  });
  expect(running).toEqual({
    id: 'containerd://abc',
    name: 'main',
    state: 'running',
    sandboxID: 's1',
    restartCount: 4,
    image: 'docker.io/library/busybox:1.36',
    imageRef: 'docker.io/library/busybox@sha256:def',
    createdAt: '1970-01-01T00:00:10Z',
    startedAt: '1970-01-01T00:00:11Z',
    hash: '1a2b',
    terminationFile: '/var/lib/kubelet/pods/u/last',
    resources: { cpuRequest: '1', cpuLimit: '500m' },
    user: { linux: { uid: 1000, gid: 2000, supplementalGroups: [3000] } },
  });
});

test('only ended containers have an end, and only started ones a start', () => {
  const created = view({ id: 'c', state: 'CONTAINER_CREATED', metadata: { attempt: 2 } });
  expect(created).toMatchObject({ state: 'created', restartCount: 2 });
  expect(created).not.toHaveProperty('startedAt');
  expect(created).not.toHaveProperty('exitCode');
  const ended = view({
    id: 'c',
    state: 'CONTAINER_EXITED',
    exitCode: 137,
    reason: 'OOMKilled',
    finishedAt: SECOND,
  });
  expect(ended).toMatchObject({
    state: 'exited',
    exitCode: 137,
    reason: 'OOMKilled',
    // One that could not be started has this time, too.
    startedAt: '1970-01-01T00:00:00Z',
    finishedAt: '1970-01-01T00:00:01Z',
  });
});

test('the addresses of a pod are its own, and only while it is ready', () => {
  const seen = (status: Parameters<typeof PodSandboxStatus.write>[0]) =>
    viewSandbox(PodSandboxStatus.read(PodSandboxStatus.write(status)));
  const network = { ip: '10.0.0.7', additionalIps: [{ ip: 'fd00::7' }] };
  expect(seen({ id: 's', network })).toMatchObject({
    sandbox: { ready: true, hostNetwork: false, ip: '10.0.0.7' },
    ips: ['10.0.0.7', 'fd00::7'],
  });
  expect(seen({ id: 's', network, state: 'SANDBOX_NOTREADY' }).ips).toEqual([]);
  const linux = { namespaces: { options: { network: 'NODE' } } } as const;
  expect(seen({ id: 's', network, linux })).toMatchObject({
    sandbox: { hostNetwork: true, ip: '' },
    ips: [],
  });
});
