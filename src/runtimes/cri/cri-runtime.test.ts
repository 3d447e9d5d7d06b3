/** The adapter by itself, with a runtime that the test plays. Real ones: test/cluster. */
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CriHarness } from '../../../test/support/cri-harness.ts';
import { sendMessage } from '../../../test/support/grpc-harness.ts';
import { containerConfigOf, sandboxConfigOf } from '../../../test/support/runtime-configs.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { systemClock } from '../../platform/system-clock.ts';
import type { RuntimeEvent } from '../../ports/runtime/pod-runtime.ts';
import { openCriRuntime } from './cri-runtime.ts';
import * as common from './messages/common-messages.ts';
import * as container from './messages/container-messages.ts';
import * as runtimeMessages from './messages/runtime-messages.ts';
import * as sandbox from './messages/sandbox-messages.ts';
import * as stats from './messages/stats-messages.ts';

const NEVER = new AbortController().signal;
const LABELS = {
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'shop',
  'io.kubernetes.pod.uid': 'uid-1',
};
const RESERVED = { status: 2, message: 'name "web" is reserved for "there"' };

function listsSandboxes(harness: CriHarness, items: object[]): void {
  harness.reply(
    'ListPodSandbox',
    sandbox.ListPodSandboxRequest,
    sandbox.ListPodSandboxResponse,
    () => ({
      items,
    }),
  );
}

function listsContainers(harness: CriHarness, containers: object[]): void {
  harness.reply(
    'ListContainers',
    container.ListContainersRequest,
    container.ListContainersResponse,
    () => ({ containers }),
  );
}

test('a runtime reports its name, whether it is ready, and its features', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  expect(runtime.name).toBe('containerd');
  expect(await runtime.version()).toEqual({ name: 'containerd', version: 'v2.1.4' });
  expect(await runtime.status()).toMatchObject({
    isReady: true,
    isNetworkReady: true,
    features: { hasImageVolumes: true, hasImageSubPaths: false, hasRecursiveReadOnly: false },
  });
  const { StatusResponse } = runtimeMessages;
  const network = { type: 'NetworkReady', status: false, reason: 'NoPlugin', message: 'no cni' };
  const conditions = [{ type: 'RuntimeReady', status: true }, network];
  const features = { recursiveReadOnlyMounts: true };
  harness.answer('Status', () =>
    StatusResponse.write({ status: { conditions }, runtimeHandlers: [{ name: '', features }] }),
  );
  expect(await runtime.status()).toMatchObject({
    isReady: true,
    isNetworkReady: false,
    reason: 'NoPlugin',
    message: 'no cni',
    features: { hasRecursiveReadOnly: true },
  });
});

test('the cgroup driver is known of runtimes that can be asked', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  expect(await runtime.cgroupDriver?.()).toBeNull();
  const { RuntimeConfigResponse } = runtimeMessages;
  harness.answer('RuntimeConfig', () => RuntimeConfigResponse.write({ linux: {} }));
  expect(await runtime.cgroupDriver?.()).toBe('systemd');
  harness.answer('RuntimeConfig', () =>
    RuntimeConfigResponse.write({ linux: { cgroupDriver: 'CGROUPFS' } }),
  );
  expect(await runtime.cgroupDriver?.()).toBe('cgroupfs');
});

test('an endpoint that cannot be a runtime is refused when it is opened', async () => {
  const open = (endpoint: string) =>
    openCriRuntime({ endpoint, clock: systemClock, log: silentLog });
  await expect(open('tcp://1.2.3.4:5')).rejects.toMatchObject({ code: 'RUNTIME_ENDPOINT_INVALID' });
  await expect(open('unix:///nowhere/at.sock')).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
    message: expect.stringContaining('no such file or directory') as string,
  });
  const harness = await CriHarness.start();
  harness.answer('Version', () => ({ status: 12, message: 'unknown service runtime.v1' }));
  await expect(open(harness.endpoint)).rejects.toMatchObject({ code: 'RUNTIME_CALL_UNSUPPORTED' });
});

test('a socket that every user may replace is refused', async () => {
  const harness = await CriHarness.start();
  const folder = path.dirname(harness.endpoint.replace('unix://', ''));
  chmodSync(folder, 0o777);
  const options = { endpoint: harness.endpoint, clock: systemClock, log: silentLog };
  await expect(openCriRuntime(options)).rejects.toMatchObject({ code: 'UNTRUSTED_FILE' });
});

test('a sandbox whose creation was never acknowledged is found', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  harness.answer('RunPodSandbox', () => RESERVED);
  listsSandboxes(harness, [
    { id: 'older', metadata: { attempt: 0 } },
    { id: 'there', metadata: { attempt: 1 } },
  ]);
  expect(await runtime.runSandbox(sandboxConfigOf({ attempt: 1 }), NEVER)).toBe('there');
  await expect(runtime.runSandbox(sandboxConfigOf({ attempt: 2 }), NEVER)).rejects.toThrow(
    'rpc error: code = Unknown desc = name "web" is reserved for "there"',
  );
});

test('a container whose creation was never acknowledged is found', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const { RunPodSandboxRequest, RunPodSandboxResponse } = sandbox;
  harness.reply('RunPodSandbox', RunPodSandboxRequest, RunPodSandboxResponse, () => ({
    podSandboxId: 's1',
  }));
  harness.answer('CreateContainer', () => RESERVED);
  listsContainers(harness, [{ id: 'there', metadata: { name: 'main', attempt: 1 } }]);
  const id = await runtime.runSandbox(sandboxConfigOf(), NEVER);
  const config = containerConfigOf({ attempt: 1 });
  expect(await runtime.createContainer(id, config, NEVER)).toBe('containerd://there');
  await expect(runtime.createContainer(id, containerConfigOf(), NEVER)).rejects.toThrow('reserved');
});

test('a container in a sandbox of an earlier podkeep gets the configuration of that sandbox', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  const config = {
    log_directory: '/logs/of/web',
    linux: { cgroup_parent: '/kubepods/x', security_context: { privileged: true } },
  };
  harness.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, (asked) => {
    expect(asked.verbose).toBe(true);
    return {
      status: {
        id: 's1',
        metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', attempt: 2 },
        labels: LABELS,
        linux: { namespaces: { options: { network: 'NODE', pid: 'CONTAINER' } as const } },
      },
      info: { info: JSON.stringify({ config }) },
    };
  });
  const { CreateContainerRequest, CreateContainerResponse } = container;
  const asked = vi.fn<(request: unknown) => void>();
  harness.reply('CreateContainer', CreateContainerRequest, CreateContainerResponse, (request) => {
    asked(request);
    return { containerId: 'c1' };
  });
  await runtime.createContainer('s1', containerConfigOf(), NEVER);
  const namespaceOptions = { network: 'NODE', pid: 'CONTAINER', ipc: 'POD' };
  expect(asked.mock.calls[0]?.[0]).toMatchObject({
    podSandboxId: 's1',
    sandboxConfig: {
      metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', attempt: 2 },
      logDirectory: '/logs/of/web',
      linux: {
        cgroupParent: '/kubepods/x',
        securityContext: { privileged: true, namespaceOptions },
      },
    },
    config: { labels: LABELS, linux: { securityContext: { namespaceOptions } } },
  });
});

test.each([
  ['runs', { state: 'CONTAINER_RUNNING', startedAt: 5n }, /^done$/],
  ['has run', { state: 'CONTAINER_EXITED', startedAt: 5n }, /^done$/],
  ['could not be started', { state: 'CONTAINER_EXITED', startedAt: 0n }, /not in created state/],
  ['waits to be started', { state: 'CONTAINER_CREATED', startedAt: 0n }, /not in created state/],
] as const)('a start that is refused because it %s', async (_what, status, outcome) => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  harness.answer('StartContainer', () => ({ status: 2, message: 'not in created state' }));
  const { ContainerStatusRequest, ContainerStatusResponse } = container;
  harness.reply('ContainerStatus', ContainerStatusRequest, ContainerStatusResponse, (asked) => {
    expect(asked.containerId).toBe('c1');
    return { status };
  });
  const start = runtime.startContainer('containerd://c1').then(() => 'done', String);
  expect(await start).toMatch(outcome);
});

test('a caller that stops waiting for a stop has not cancelled it', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const abort = new AbortController();
  const cancelled = vi.fn<() => void>();
  const grace = vi.fn<(seconds: number) => void>();
  harness.answer('StopContainer', (bytes, stream) => {
    grace(container.StopContainerRequest.read(bytes).timeout);
    stream.on('aborted', cancelled);
    abort.abort(new Error('gone'));
    return null;
  });
  const stop = runtime.stopContainer('containerd://c1', 1.5, abort.signal);
  await expect(stop).rejects.toThrow('gone');
  expect(grace).toHaveBeenCalledWith(2);
  await runtime.version();
  expect(cancelled).not.toHaveBeenCalled();
});

test('stopping or removing what is gone is no error', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  for (const call of ['StopContainer', 'RemoveContainer', 'StopPodSandbox', 'RemovePodSandbox']) {
    harness.answer(call, () => ({ status: 5, message: 'not found' }));
  }
  await runtime.stopContainer('containerd://c1', 1, NEVER);
  await runtime.removeContainer('containerd://c1');
  await runtime.removeSandbox('s1');
  harness.answer('StopContainer', () => ({ status: 13, message: 'broken' }));
  await expect(runtime.stopContainer('containerd://c1', 1, NEVER)).rejects.toThrow('broken');
});

test('a list asks again only for what has changed, and inspecting a pod for all of it', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  let state: 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' = 'CONTAINER_RUNNING';
  listsSandboxes(harness, [{ id: 's1', labels: LABELS }, { id: 'foreign' }]);
  const { ListContainersRequest, ListContainersResponse } = container;
  const item = { podSandboxId: 's1', labels: LABELS };
  harness.reply('ListContainers', ListContainersRequest, ListContainersResponse, () => ({
    containers: [
      { ...item, id: 'c1', state },
      { ...item, id: 'gone', state },
    ],
  }));
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  harness.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, () => ({
    status: { id: 's1', network: { ip: '10.0.0.7', additionalIps: [{ ip: 'fd00::7' }] } },
  }));
  const { ContainerStatusRequest, ContainerStatusResponse } = container;
  harness.reply('ContainerStatus', ContainerStatusRequest, ContainerStatusResponse, (asked) => {
    if (asked.containerId === 'gone') return { status: 5, message: 'it was removed' };
    return { status: { id: 'c1', state, metadata: { name: 'main' }, exitCode: 3 } };
  });
  const [entry, ...others] = await runtime.list();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ uid: 'uid-1', name: 'web', namespace: 'shop' });
  expect(entry?.pod).toMatchObject({
    sandboxes: [{ id: 's1', ready: true, ip: '10.0.0.7' }],
    containers: [{ id: 'containerd://c1', name: 'main', state: 'running', sandboxID: 's1' }],
    ips: ['10.0.0.7', 'fd00::7'],
  });
  expect(harness.countOf('ContainerStatus')).toBe(2);
  await runtime.list();
  expect(harness.countOf('ContainerStatus')).toBe(3); // the one that is gone is asked for again
  expect(harness.countOf('PodSandboxStatus')).toBe(1);
  state = 'CONTAINER_EXITED';
  expect((await runtime.list())[0]?.pod.containers).toMatchObject([{ exitCode: 3 }]);
  await runtime.inspect('uid-1');
  expect(harness.countOf('PodSandboxStatus')).toBe(3);
});

test('on a full node, the number of concurrent status calls is limited', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const ids = Array.from({ length: 100 }, (_, index) => `c${index}`);
  listsSandboxes(harness, []);
  listsContainers(
    harness,
    ids.map((id) => ({ id, labels: LABELS })),
  );
  let [running, most] = [0, 0];
  harness.answer('ContainerStatus', async (bytes) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => {
      systemClock.after(1, () => resolve(null));
    });
    running -= 1;
    const { containerId: id } = container.ContainerStatusRequest.read(bytes);
    return container.ContainerStatusResponse.write({ status: { id } });
  });
  expect((await runtime.inspect('uid-1')).containers).toHaveLength(100);
  expect(most).toBeLessThanOrEqual(16);
});

test('a runtime without events has to be polled', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  expect(runtime).toHaveProperty('follow', undefined);
});

test('events are reported, and after a break every pod is reported as changed', async () => {
  const harness = await CriHarness.start();
  const podSandboxStatus = { id: 's1', labels: LABELS };
  type Type = Parameters<
    typeof runtimeMessages.ContainerEventResponse.write
  >[0]['containerEventType'];
  const notified = (containerId: string, containerEventType: Type) =>
    runtimeMessages.ContainerEventResponse.write({
      containerId,
      containerEventType,
      podSandboxStatus,
    });
  harness.answer('GetContainerEvents', (_request, stream) => {
    sendMessage(stream, notified('s1', 'CONTAINER_CREATED_EVENT'));
    sendMessage(stream, notified('c1', 'CONTAINER_CREATED_EVENT'));
    sendMessage(stream, notified('c1', 'CONTAINER_STARTED_EVENT'));
    sendMessage(stream, notified('c1', 'CONTAINER_STOPPED_EVENT'));
    const { ContainerEventResponse } = runtimeMessages;
    const gone = { containerId: 'c1', containerEventType: 'CONTAINER_DELETED_EVENT' } as const;
    sendMessage(stream, ContainerEventResponse.write(gone));
    return null;
  });
  listsSandboxes(harness, [{ id: 's2', labels: { ...LABELS, 'io.kubernetes.pod.uid': 'uid-2' } }]);
  listsContainers(harness, []);
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  harness.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, () => ({
    status: { id: 's2' },
  }));
  const runtime = await harness.open();
  const heard: RuntimeEvent[] = [];
  const unfollow = runtime.follow?.((event) => heard.push(event));
  onTestFinished(() => unfollow?.());
  const containerId = 'containerd://c1';
  await vi.waitFor(() => {
    expect(heard.slice(0, 4)).toEqual([
      { podUid: 'uid-1', type: 'sandboxChanged' },
      { podUid: 'uid-1', type: 'containerStarted', containerId },
      { podUid: 'uid-1', type: 'containerDied', containerId },
      { podUid: 'uid-1', type: 'containerRemoved', containerId },
    ]);
  });
  harness.answer('GetContainerEvents', () => null);
  await harness.grpc.stop();
  heard.length = 0;
  await harness.grpc.start();
  await vi.waitFor(
    () =>
      expect(heard).toEqual([
        { podUid: 'uid-1', type: 'sandboxChanged' },
        { podUid: 'uid-2', type: 'sandboxChanged' },
      ]),
    { timeout: 10_000 },
  );
});

test('without stats by sandbox, those of its containers are added up', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const used = (value: bigint) => ({
    attributes: { id: `c${value}`, labels: LABELS },
    cpu: { timestamp: 5_000_000n, usageCoreNanoSeconds: { value } },
    memory: { timestamp: 5_000_000n, workingSetBytes: { value: value * 2n } },
  });
  const { ListContainerStatsRequest, ListContainerStatsResponse } = stats;
  harness.reply(
    'ListContainerStats',
    ListContainerStatsRequest,
    ListContainerStatsResponse,
    () => ({
      stats: [used(10n), used(20n), { attributes: { id: 'foreign' } }],
    }),
  );
  expect(await runtime.containerStats?.()).toMatchObject([
    { id: 'containerd://c10', podUid: 'uid-1', cpu: { timeMs: 5, usageNanoseconds: 10n } },
    { id: 'containerd://c20', podUid: 'uid-1', memory: { workingSetBytes: 40 } },
  ]);
  const whole = [
    {
      podUid: 'uid-1',
      cpu: { timeMs: 5, usageNanoseconds: 30n },
      memory: { timeMs: 5, workingSetBytes: 60 },
    },
  ];
  expect(await runtime.sandboxStats?.()).toEqual(whole);
  // As containerd 1.6 does for all, while one sandbox has lost its control group.
  harness.answer('ListPodSandboxStats', () => ({
    status: 2,
    message: 'failed to load sandbox cgroup',
  }));
  expect(await runtime.sandboxStats?.()).toEqual(whole);
});

test('limits are changed in place, and reported again', async () => {
  const harness = await CriHarness.start();
  const runtime = await harness.open();
  const { UpdateContainerResourcesRequest } = container;
  const asked = vi.fn<(request: unknown) => object>(() => ({}));
  harness.reply('UpdateContainerResources', UpdateContainerResourcesRequest, common.Nothing, asked);
  await runtime.updateResources?.('containerd://c1', { cpuShares: 512, memoryLimitBytes: 1 << 20 });
  expect(asked.mock.calls[0]?.[0]).toMatchObject({
    containerId: 'c1',
    linux: { cpuShares: 512, memoryLimitInBytes: 1 << 20 },
  });
});
