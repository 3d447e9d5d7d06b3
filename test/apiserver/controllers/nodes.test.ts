import { expect, test } from 'vitest';
import type { ControllerName } from '../../../src/apiserver/controllers/controllers.ts';
import { formatMicroTime, formatTime } from '../../../src/api/values/time.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness } from './controller-harness.ts';

const NODE = '/api/v1/nodes/n1';
const PODS = '/api/v1/namespaces/default/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const ALL: readonly ControllerName[] = [
  'node-lifecycle',
  'taint-eviction',
  'pod-garbage-collector',
];

async function openWithNode(
  controllers: readonly ControllerName[] = ALL,
): Promise<ControllerHarness> {
  const harness = await ControllerHarness.open({ controllers });
  await harness.make('/api/v1/namespaces', 'kube-node-lease');
  await harness.make('/api/v1/nodes', 'n1', { status: statusAt(harness) });
  await harness.settle();
  return harness;
}

function statusAt(harness: ControllerHarness, ready = 'True'): JsonObject {
  const now = formatTime(harness.clock.now());
  const condition = (type: string, status: string): JsonObject => ({
    type,
    status,
    reason: 'Kubelet',
    message: 'said so',
    lastHeartbeatTime: now,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  });
  return {
    conditions: [condition('MemoryPressure', 'False'), condition('Ready', ready)],
  };
}

function beat(harness: ControllerHarness, ready?: string): Promise<unknown> {
  return harness.patch(`${NODE}/status`, { status: statusAt(harness, ready) });
}

async function conditionsOf(
  harness: ControllerHarness,
  path = NODE,
): Promise<readonly JsonObject[]> {
  const { body } = await harness.get(path);
  return (body['status'] as { conditions?: readonly JsonObject[] }).conditions ?? [];
}

async function readyOf(harness: ControllerHarness, path?: string): Promise<unknown> {
  return (await conditionsOf(harness, path)).find(({ type }) => type === 'Ready')?.['status'];
}

async function taintsOf(harness: ControllerHarness): Promise<readonly string[]> {
  const { body } = await harness.get(NODE);
  const { taints = [] } = (body['spec'] ?? {}) as { taints?: readonly JsonObject[] };
  return taints.map(({ key, effect }) => `${key as string}:${effect as string}`).toSorted();
}

async function addPod(
  harness: ControllerHarness,
  name: string,
  spec: JsonObject = {},
): Promise<void> {
  const containers = [{ name: 'c', image: 'nginx:1' }];
  await harness.make(PODS, name, { spec: { containers, nodeName: 'n1', ...spec } });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await harness.patch(`${PODS}/${name}/status`, { status: { phase: 'Running', conditions } });
  await harness.settle();
}

const UNREACHABLE = [
  'node.kubernetes.io/unreachable:NoExecute',
  'node.kubernetes.io/unreachable:NoSchedule',
];

test('a node without a heartbeat becomes Unknown after its grace period, and not a moment sooner', async () => {
  const harness = await openWithNode();
  await harness.settle(40_000);
  expect(await readyOf(harness)).toBe('True');
  await harness.settle(1000);
  expect(await conditionsOf(harness)).toMatchObject([
    {
      type: 'MemoryPressure',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    },
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      lastHeartbeatTime: '2030-01-02T03:04:05Z',
    },
    { type: 'DiskPressure', status: 'Unknown', reason: 'NodeStatusNeverUpdated' },
    { type: 'PIDPressure', status: 'Unknown', message: 'Kubelet never posted node status.' },
  ]);
  expect(await taintsOf(harness)).toEqual(UNREACHABLE);
});

test('a lease that is renewed is a heartbeat', async () => {
  const harness = await openWithNode();
  const renewTime = (): string => formatMicroTime(harness.clock.now());
  await harness.make(LEASES, 'n1', { spec: { holderIdentity: 'n1', renewTime: renewTime() } });
  for (let index = 0; index < 20; index++) {
    await harness.settle(10_000);
    await harness.patch(`${LEASES}/n1`, { spec: { renewTime: renewTime() } });
  }
  expect(await readyOf(harness)).toBe('True');
  await harness.settle(41_000);
  expect(await readyOf(harness)).toBe('Unknown');
});

test('a lease that changes without being renewed is none', async () => {
  const harness = await openWithNode();
  await harness.make(LEASES, 'n1', { spec: { holderIdentity: 'n1' } });
  await harness.settle(30_000);
  await harness.patch(`${LEASES}/n1`, { metadata: { labels: { a: 'b' } } });
  await harness.settle(11_000);
  expect(await readyOf(harness)).toBe('Unknown');
});

test('the pods of a lost node are not ready, and events say why', async () => {
  const harness = await openWithNode();
  await addPod(harness, 'web');
  await harness.settle(41_000);
  expect(await readyOf(harness, `${PODS}/web`)).toBe('False');
  const events = await harness.list('/api/v1/namespaces/default/events');
  expect(events.map(({ reason, message }) => [reason, message])).toEqual(
    expect.arrayContaining([
      ['RegisteredNode', 'Node n1 event: Registered Node n1 in Controller'],
      ['NodeNotReady', 'Node n1 status is now: NodeNotReady'],
      ['NodeNotReady', 'Node is not ready'],
    ]),
  );
});

test('a node whose heartbeat is back loses its taints', async () => {
  const harness = await openWithNode();
  await harness.settle(41_000);
  await beat(harness);
  await harness.settle();
  expect(await readyOf(harness)).toBe('True');
  expect(await taintsOf(harness)).toEqual([]);
  await harness.settle(41_000);
  expect(await readyOf(harness)).toBe('Unknown');
});

test('a node that reports itself not ready, under pressure or unschedulable is tainted so', async () => {
  const harness = await openWithNode();
  await harness.patch(NODE, {
    spec: { unschedulable: true, taints: [{ key: 'mine', effect: 'NoExecute' }] },
  });
  await beat(harness, 'False');
  await harness.settle();
  expect(await taintsOf(harness)).toEqual([
    'mine:NoExecute',
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/not-ready:NoSchedule',
    'node.kubernetes.io/unschedulable:NoSchedule',
  ]);
  await harness.settle(41_000);
  expect(await taintsOf(harness)).toEqual([
    'mine:NoExecute',
    ...UNREACHABLE,
    'node.kubernetes.io/unschedulable:NoSchedule',
  ]);
});

test('a node that has never reported its status has a minute', async () => {
  const harness = await ControllerHarness.open({ controllers: ['node-lifecycle'] });
  await harness.make('/api/v1/nodes', 'n1');
  await harness.settle(60_000);
  expect(await conditionsOf(harness)).toEqual([]);
  await harness.settle(1000);
  expect(await conditionsOf(harness)).toHaveLength(4);
});

test('a pod leaves a lost node after five minutes, with the reason on it', async () => {
  const harness = await openWithNode();
  await addPod(harness, 'web');
  await harness.settle(41_000 + 299_000);
  expect((await harness.get(`${PODS}/web`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  await harness.settle(2000);
  const { body } = await harness.get(`${PODS}/web`);
  expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(await conditionsOf(harness, `${PODS}/web`)).toContainEqual(
    expect.objectContaining({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    }),
  );
});

test('a pod stays on a node that comes back in time', async () => {
  const harness = await openWithNode();
  await addPod(harness, 'web');
  await harness.settle(200_000);
  await beat(harness);
  await harness.settle(30_000);
  await beat(harness);
  await harness.settle(30_000);
  await beat(harness);
  await harness.settle(30_000);
  await beat(harness);
  await harness.settle(39_000);
  expect((await harness.get(`${PODS}/web`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  const events = await harness.list('/api/v1/namespaces/default/events');
  expect(events.map(({ message }) => message)).toContain('Cancelling deletion of Pod default/web');
});

test('a pod without tolerations leaves immediately, one that tolerates all never does', async () => {
  const harness = await openWithNode(['taint-eviction']);
  const key = 'gone';
  await addPod(harness, 'stays', { tolerations: [{ operator: 'Exists' }] });
  await addPod(harness, 'waits', {
    tolerations: [{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }],
  });
  await addPod(harness, 'leaves');
  await harness.patch(NODE, { spec: { taints: [{ key, effect: 'NoExecute' }] } });
  await harness.settle();
  const leaving = async (): Promise<readonly unknown[]> =>
    (await harness.list(PODS))
      .filter(({ metadata }) => metadata['deletionTimestamp'] !== undefined)
      .map(({ metadata }) => metadata['name']);
  expect(await leaving()).toEqual(['leaves']);
  await harness.settle(5000);
  await harness.patch(`${PODS}/waits`, { metadata: { labels: { a: 'change' } } });
  await harness.settle(5000);
  expect(await leaving()).toEqual(['leaves', 'waits']);
  await harness.settle(3_600_000);
  expect(await leaving()).toEqual(['leaves', 'waits']);
});

test('pods of a deleted node go after a while, and not if it comes back', async () => {
  const harness = await openWithNode(['pod-garbage-collector']);
  await addPod(harness, 'web');
  await harness.remove(NODE);
  await harness.settle(39_000);
  await harness.make('/api/v1/nodes', 'n1');
  await harness.settle(60_000);
  expect(await harness.has(`${PODS}/web`)).toBe(true);
  await harness.remove(NODE);
  const seen: JsonObject[] = [];
  harness.store.watch('/core/pods/', harness.store.revision, ({ value }) => seen.push(value));
  await harness.settle(41_000);
  expect(await harness.has(`${PODS}/web`)).toBe(false);
  expect(seen[0]).toMatchObject({
    status: {
      phase: 'Failed',
      conditions: [
        { type: 'Ready' },
        {
          type: 'DisruptionTarget',
          reason: 'DeletionByPodGC',
          message: 'PodGC: node no longer exists',
        },
      ],
    },
  });
});

test('pods on a node that is out of service go as soon as they are deleted', async () => {
  const harness = await openWithNode(['pod-garbage-collector']);
  await addPod(harness, 'web');
  await harness.patch(NODE, {
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  });
  await beat(harness, 'False');
  await harness.remove(`${PODS}/web`);
  await harness.settle();
  expect(await harness.has(`${PODS}/web`)).toBe(false);
});
