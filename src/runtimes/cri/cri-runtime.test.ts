/** The adapter on its own, with a runtime that the test plays. Real ones: test/cluster. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { CriStage } from '../../../test/support/cri-stage.ts';
import { sendMessage } from '../../../test/support/grpc-stage.ts';
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

function listsSandboxes(stage: CriStage, items: object[]): void {
  stage.reply(
    'ListPodSandbox',
    sandbox.ListPodSandboxRequest,
    sandbox.ListPodSandboxResponse,
    () => ({
      items,
    }),
  );
}

function listsContainers(stage: CriStage, containers: object[]): void {
  stage.reply(
    'ListContainers',
    container.ListContainersRequest,
    container.ListContainersResponse,
    () => ({ containers }),
  );
}

test('a runtime says who it is, whether it is ready, and what it can do', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  expect(runtime.name).toBe('containerd');
  expect(await runtime.version()).toEqual({ name: 'containerd', version: 'v2.1.4' });
  expect(await runtime.status()).toMatchObject({
    isReady: true,
    isNetworkReady: true,
    features: { hasImageVolumes: true, hasRecursiveReadOnly: false },
  });
  const { StatusResponse } = runtimeMessages;
  const network = { type: 'NetworkReady', status: false, reason: 'NoPlugin', message: 'no cni' };
  const conditions = [{ type: 'RuntimeReady', status: true }, network];
  const features = { recursiveReadOnlyMounts: true };
  stage.answer('Status', () =>
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

test('who makes control groups is known of runtimes that can be asked', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  expect(await runtime.cgroupDriver?.()).toBeNull();
  const { RuntimeConfigResponse } = runtimeMessages;
  stage.answer('RuntimeConfig', () => RuntimeConfigResponse.write({ linux: {} }));
  expect(await runtime.cgroupDriver?.()).toBe('systemd');
  stage.answer('RuntimeConfig', () =>
    RuntimeConfigResponse.write({ linux: { cgroupDriver: 'CGROUPFS' } }),
  );
  expect(await runtime.cgroupDriver?.()).toBe('cgroupfs');
});

test('what cannot be a runtime is refused when it is opened', async () => {
  const open = (endpoint: string) =>
    openCriRuntime({ endpoint, clock: systemClock, log: silentLog });
  await expect(open('tcp://1.2.3.4:5')).rejects.toMatchObject({ code: 'RUNTIME_ENDPOINT_INVALID' });
  await expect(open('unix:///nowhere/at.sock')).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
    message: expect.stringContaining('no such file or directory') as string,
  });
  const stage = await CriStage.start();
  stage.answer('Version', () => ({ status: 12, message: 'unknown service runtime.v1' }));
  await expect(open(stage.endpoint)).rejects.toMatchObject({ code: 'RUNTIME_CALL_UNSUPPORTED' });
});

test('a sandbox that was made before, though nobody was told, is found', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  stage.answer('RunPodSandbox', () => RESERVED);
  listsSandboxes(stage, [
    { id: 'older', metadata: { attempt: 0 } },
    { id: 'there', metadata: { attempt: 1 } },
  ]);
  expect(await runtime.runSandbox(sandboxConfigOf({ attempt: 1 }), NEVER)).toBe('there');
  await expect(runtime.runSandbox(sandboxConfigOf({ attempt: 2 }), NEVER)).rejects.toThrow(
    'rpc error: code = Unknown desc = name "web" is reserved for "there"',
  );
});

test('a container that was made before, though nobody was told, is found', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const { RunPodSandboxRequest, RunPodSandboxResponse } = sandbox;
  stage.reply('RunPodSandbox', RunPodSandboxRequest, RunPodSandboxResponse, () => ({
    podSandboxId: 's1',
  }));
  stage.answer('CreateContainer', () => RESERVED);
  listsContainers(stage, [{ id: 'there', metadata: { name: 'main', attempt: 1 } }]);
  const id = await runtime.runSandbox(sandboxConfigOf(), NEVER);
  const config = containerConfigOf({ attempt: 1 });
  expect(await runtime.createContainer(id, config, NEVER)).toBe('containerd://there');
  await expect(runtime.createContainer(id, containerConfigOf(), NEVER)).rejects.toThrow('reserved');
});

test('a container in a sandbox of an earlier podkeep gets what that sandbox was made with', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  const config = {
    log_directory: '/logs/of/web',
    linux: { cgroup_parent: '/kubepods/x', security_context: { privileged: true } },
  };
  stage.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, (asked) => {
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
  stage.reply('CreateContainer', CreateContainerRequest, CreateContainerResponse, (request) => {
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
  const stage = await CriStage.start();
  const runtime = await stage.open();
  stage.answer('StartContainer', () => ({ status: 2, message: 'not in created state' }));
  const { ContainerStatusRequest, ContainerStatusResponse } = container;
  stage.reply('ContainerStatus', ContainerStatusRequest, ContainerStatusResponse, (asked) => {
    expect(asked.containerId).toBe('c1');
    return { status };
  });
  const start = runtime.startContainer('containerd://c1').then(() => 'done', String);
  expect(await start).toMatch(outcome);
});

test('whoever no longer waits for a stop has not called it off', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const abort = new AbortController();
  const cancelled = vi.fn<() => void>();
  const grace = vi.fn<(seconds: number) => void>();
  stage.answer('StopContainer', (bytes, stream) => {
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

test('what is gone is no error when it was to be stopped or removed', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  for (const call of ['StopContainer', 'RemoveContainer', 'StopPodSandbox', 'RemovePodSandbox']) {
    stage.answer(call, () => ({ status: 5, message: 'not found' }));
  }
  await runtime.stopContainer('containerd://c1', 1, NEVER);
  await runtime.removeContainer('containerd://c1');
  await runtime.removeSandbox('s1');
  stage.answer('StopContainer', () => ({ status: 13, message: 'broken' }));
  await expect(runtime.stopContainer('containerd://c1', 1, NEVER)).rejects.toThrow('broken');
});

test('a listing asks again only for what has changed, and a look at a pod for all of it', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  let state: 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' = 'CONTAINER_RUNNING';
  listsSandboxes(stage, [{ id: 's1', labels: LABELS }, { id: 'foreign' }]);
  const { ListContainersRequest, ListContainersResponse } = container;
  const item = { podSandboxId: 's1', labels: LABELS };
  stage.reply('ListContainers', ListContainersRequest, ListContainersResponse, () => ({
    containers: [
      { ...item, id: 'c1', state },
      { ...item, id: 'gone', state },
    ],
  }));
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  stage.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, () => ({
    status: { id: 's1', network: { ip: '10.0.0.7', additionalIps: [{ ip: 'fd00::7' }] } },
  }));
  const { ContainerStatusRequest, ContainerStatusResponse } = container;
  stage.reply('ContainerStatus', ContainerStatusRequest, ContainerStatusResponse, (asked) => {
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
  expect(stage.countOf('ContainerStatus')).toBe(2);
  await runtime.list();
  expect(stage.countOf('ContainerStatus')).toBe(3); // the one that is gone is asked for again
  expect(stage.countOf('PodSandboxStatus')).toBe(1);
  state = 'CONTAINER_EXITED';
  expect((await runtime.list())[0]?.pod.containers).toMatchObject([{ exitCode: 3 }]);
  await runtime.inspect('uid-1');
  expect(stage.countOf('PodSandboxStatus')).toBe(3);
});

test('of a full node, only so many are asked for at once', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const ids = Array.from({ length: 100 }, (_, index) => `c${index}`);
  listsSandboxes(stage, []);
  listsContainers(
    stage,
    ids.map((id) => ({ id, labels: LABELS })),
  );
  let [running, most] = [0, 0];
  stage.answer('ContainerStatus', async (bytes) => {
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

test('a runtime without events is one that has to be asked', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  expect(runtime).toHaveProperty('follow', undefined);
});

test('events are told, and after a break every pod is told as changed', async () => {
  const stage = await CriStage.start();
  const podSandboxStatus = { id: 's1', labels: LABELS };
  type Type = Parameters<
    typeof runtimeMessages.ContainerEventResponse.write
  >[0]['containerEventType'];
  const told = (containerId: string, containerEventType: Type) =>
    runtimeMessages.ContainerEventResponse.write({
      containerId,
      containerEventType,
      podSandboxStatus,
    });
  stage.answer('GetContainerEvents', (_request, stream) => {
    sendMessage(stream, told('s1', 'CONTAINER_CREATED_EVENT'));
    sendMessage(stream, told('c1', 'CONTAINER_CREATED_EVENT'));
    sendMessage(stream, told('c1', 'CONTAINER_STARTED_EVENT'));
    sendMessage(stream, told('c1', 'CONTAINER_STOPPED_EVENT'));
    const { ContainerEventResponse } = runtimeMessages;
    const gone = { containerId: 'c1', containerEventType: 'CONTAINER_DELETED_EVENT' } as const;
    sendMessage(stream, ContainerEventResponse.write(gone));
    return null;
  });
  listsSandboxes(stage, [{ id: 's2', labels: { ...LABELS, 'io.kubernetes.pod.uid': 'uid-2' } }]);
  listsContainers(stage, []);
  const { PodSandboxStatusRequest, PodSandboxStatusResponse } = sandbox;
  stage.reply('PodSandboxStatus', PodSandboxStatusRequest, PodSandboxStatusResponse, () => ({
    status: { id: 's2' },
  }));
  const runtime = await stage.open();
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
  stage.answer('GetContainerEvents', () => null);
  await stage.grpc.stop();
  heard.length = 0;
  await stage.grpc.start();
  await vi.waitFor(
    () =>
      expect(heard).toEqual([
        { podUid: 'uid-1', type: 'sandboxChanged' },
        { podUid: 'uid-2', type: 'sandboxChanged' },
      ]),
    { timeout: 10_000 },
  );
});

test('a runtime that does not count by sandbox has its containers added up', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const used = (value: bigint) => ({
    attributes: { id: `c${value}`, labels: LABELS },
    cpu: { timestamp: 5_000_000n, usageCoreNanoSeconds: { value } },
    memory: { timestamp: 5_000_000n, workingSetBytes: { value: value * 2n } },
  });
  const { ListContainerStatsRequest, ListContainerStatsResponse } = stats;
  stage.reply('ListContainerStats', ListContainerStatsRequest, ListContainerStatsResponse, () => ({
    stats: [used(10n), used(20n), { attributes: { id: 'foreign' } }],
  }));
  expect(await runtime.containerStats?.()).toMatchObject([
    { id: 'containerd://c10', podUid: 'uid-1', cpu: { timeMs: 5, usageNanoseconds: 10n } },
    { id: 'containerd://c20', podUid: 'uid-1', memory: { workingSetBytes: 40 } },
  ]);
  expect(await runtime.sandboxStats?.()).toEqual([
    {
      podUid: 'uid-1',
      cpu: { timeMs: 5, usageNanoseconds: 30n },
      memory: { timeMs: 5, workingSetBytes: 60 },
    },
  ]);
});

test('limits are changed where they are, and shown anew', async () => {
  const stage = await CriStage.start();
  const runtime = await stage.open();
  const { UpdateContainerResourcesRequest } = container;
  const asked = vi.fn<(request: unknown) => void>();
  stage.reply(
    'UpdateContainerResources',
    UpdateContainerResourcesRequest,
    common.Nothing,
    (request) => {
      asked(request);
      return {};
    },
  );
  await runtime.updateResources?.('containerd://c1', { cpuShares: 512, memoryLimitBytes: 1 << 20 });
  expect(asked.mock.calls[0]?.[0]).toMatchObject({
    containerId: 'c1',
    linux: { cpuShares: 512, memoryLimitInBytes: 1 << 20 },
  });
});
