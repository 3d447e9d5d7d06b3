import { expect, test } from 'vitest';
import type { ControllerName } from '../../../src/apiserver/controllers/controllers.ts';
import { formatMicroTime, formatTime } from '../../../src/api/time.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerStage } from './stage.ts';

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
): Promise<ControllerStage> {
  const stage = await ControllerStage.open({ controllers });
  await stage.make('/api/v1/namespaces', 'kube-node-lease');
  await stage.make('/api/v1/nodes', 'n1', { status: statusAt(stage) });
  await stage.settle();
  return stage;
}

function statusAt(stage: ControllerStage, ready = 'True'): JsonObject {
  const now = formatTime(stage.clock.now());
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

function beat(stage: ControllerStage, ready?: string): Promise<unknown> {
  return stage.patch(`${NODE}/status`, { status: statusAt(stage, ready) });
}

async function conditionsOf(stage: ControllerStage, path = NODE): Promise<readonly JsonObject[]> {
  const { body } = await stage.get(path);
  return (body['status'] as { conditions?: readonly JsonObject[] }).conditions ?? [];
}

async function readyOf(stage: ControllerStage, path?: string): Promise<unknown> {
  return (await conditionsOf(stage, path)).find(({ type }) => type === 'Ready')?.['status'];
}

async function taintsOf(stage: ControllerStage): Promise<readonly string[]> {
  const { body } = await stage.get(NODE);
  const { taints = [] } = (body['spec'] ?? {}) as { taints?: readonly JsonObject[] };
  return taints.map(({ key, effect }) => `${key as string}:${effect as string}`).toSorted();
}

async function addPod(stage: ControllerStage, name: string, spec: JsonObject = {}): Promise<void> {
  const containers = [{ name: 'c', image: 'nginx:1' }];
  await stage.make(PODS, name, { spec: { containers, nodeName: 'n1', ...spec } });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await stage.patch(`${PODS}/${name}/status`, { status: { phase: 'Running', conditions } });
  await stage.settle();
}

const UNREACHABLE = [
  'node.kubernetes.io/unreachable:NoExecute',
  'node.kubernetes.io/unreachable:NoSchedule',
];

test('a node that is silent for longer than it may is Unknown, and not a moment sooner', async () => {
  const stage = await openWithNode();
  await stage.settle(40_000);
  expect(await readyOf(stage)).toBe('True');
  await stage.settle(1000);
  expect(await conditionsOf(stage)).toMatchObject([
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
  expect(await taintsOf(stage)).toEqual(UNREACHABLE);
});

test('a lease that is renewed is a sign of life', async () => {
  const stage = await openWithNode();
  const renewTime = (): string => formatMicroTime(stage.clock.now());
  await stage.make(LEASES, 'n1', { spec: { holderIdentity: 'n1', renewTime: renewTime() } });
  for (let index = 0; index < 20; index++) {
    await stage.settle(10_000);
    await stage.patch(`${LEASES}/n1`, { spec: { renewTime: renewTime() } });
  }
  expect(await readyOf(stage)).toBe('True');
  await stage.settle(41_000);
  expect(await readyOf(stage)).toBe('Unknown');
});

test('a lease that changes without being renewed is none', async () => {
  const stage = await openWithNode();
  await stage.make(LEASES, 'n1', { spec: { holderIdentity: 'n1' } });
  await stage.settle(30_000);
  await stage.patch(`${LEASES}/n1`, { metadata: { labels: { a: 'b' } } });
  await stage.settle(11_000);
  expect(await readyOf(stage)).toBe('Unknown');
});

test('the pods of a lost node are not ready, and events say why', async () => {
  const stage = await openWithNode();
  await addPod(stage, 'web');
  await stage.settle(41_000);
  expect(await readyOf(stage, `${PODS}/web`)).toBe('False');
  const events = await stage.list('/api/v1/namespaces/default/events');
  expect(events.map(({ reason, message }) => [reason, message])).toEqual(
    expect.arrayContaining([
      ['RegisteredNode', 'Node n1 event: Registered Node n1 in Controller'],
      ['NodeNotReady', 'Node n1 status is now: NodeNotReady'],
      ['NodeNotReady', 'Node is not ready'],
    ]),
  );
});

test('a node that is heard of again loses its taints', async () => {
  const stage = await openWithNode();
  await stage.settle(41_000);
  await beat(stage);
  await stage.settle();
  expect(await readyOf(stage)).toBe('True');
  expect(await taintsOf(stage)).toEqual([]);
  await stage.settle(41_000);
  expect(await readyOf(stage)).toBe('Unknown');
});

test('a node says itself that it is not ready, under pressure or closed, and is tainted so', async () => {
  const stage = await openWithNode();
  await stage.patch(NODE, {
    spec: { unschedulable: true, taints: [{ key: 'mine', effect: 'NoExecute' }] },
  });
  await beat(stage, 'False');
  await stage.settle();
  expect(await taintsOf(stage)).toEqual([
    'mine:NoExecute',
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/not-ready:NoSchedule',
    'node.kubernetes.io/unschedulable:NoSchedule',
  ]);
  await stage.settle(41_000);
  expect(await taintsOf(stage)).toEqual([
    'mine:NoExecute',
    ...UNREACHABLE,
    'node.kubernetes.io/unschedulable:NoSchedule',
  ]);
});

test('a node that has never said how it is has a minute', async () => {
  const stage = await ControllerStage.open({ controllers: ['node-lifecycle'] });
  await stage.make('/api/v1/nodes', 'n1');
  await stage.settle(60_000);
  expect(await conditionsOf(stage)).toEqual([]);
  await stage.settle(1000);
  expect(await conditionsOf(stage)).toHaveLength(4);
});

test('a pod leaves a lost node after five minutes, with the reason on it', async () => {
  const stage = await openWithNode();
  await addPod(stage, 'web');
  await stage.settle(41_000 + 299_000);
  expect((await stage.get(`${PODS}/web`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  await stage.settle(2000);
  const { body } = await stage.get(`${PODS}/web`);
  expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(await conditionsOf(stage, `${PODS}/web`)).toContainEqual(
    expect.objectContaining({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    }),
  );
});

test('a pod stays on a node that comes back in time', async () => {
  const stage = await openWithNode();
  await addPod(stage, 'web');
  await stage.settle(200_000);
  await beat(stage);
  await stage.settle(30_000);
  await beat(stage);
  await stage.settle(30_000);
  await beat(stage);
  await stage.settle(30_000);
  await beat(stage);
  await stage.settle(39_000);
  expect((await stage.get(`${PODS}/web`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  const events = await stage.list('/api/v1/namespaces/default/events');
  expect(events.map(({ message }) => message)).toContain('Cancelling deletion of Pod default/web');
});

test('a pod that tolerates nothing leaves at once, one that tolerates all never does', async () => {
  const stage = await openWithNode(['taint-eviction']);
  const key = 'gone';
  await addPod(stage, 'stays', { tolerations: [{ operator: 'Exists' }] });
  await addPod(stage, 'waits', {
    tolerations: [{ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }],
  });
  await addPod(stage, 'leaves');
  await stage.patch(NODE, { spec: { taints: [{ key, effect: 'NoExecute' }] } });
  await stage.settle();
  const leaving = async (): Promise<readonly unknown[]> =>
    (await stage.list(PODS))
      .filter(({ metadata }) => metadata['deletionTimestamp'] !== undefined)
      .map(({ metadata }) => metadata['name']);
  expect(await leaving()).toEqual(['leaves']);
  await stage.settle(5000);
  await stage.patch(`${PODS}/waits`, { metadata: { labels: { a: 'change' } } });
  await stage.settle(5000);
  expect(await leaving()).toEqual(['leaves', 'waits']);
  await stage.settle(3_600_000);
  expect(await leaving()).toEqual(['leaves', 'waits']);
});

test('pods of a node that is gone go after a while, and not if it comes back', async () => {
  const stage = await openWithNode(['pod-garbage-collector']);
  await addPod(stage, 'web');
  await stage.remove(NODE);
  await stage.settle(39_000);
  await stage.make('/api/v1/nodes', 'n1');
  await stage.settle(60_000);
  expect(await stage.has(`${PODS}/web`)).toBe(true);
  await stage.remove(NODE);
  const seen: JsonObject[] = [];
  stage.store.watch('/core/pods/', stage.store.revision, ({ value }) => seen.push(value));
  await stage.settle(41_000);
  expect(await stage.has(`${PODS}/web`)).toBe(false);
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
  const stage = await openWithNode(['pod-garbage-collector']);
  await addPod(stage, 'web');
  await stage.patch(NODE, {
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  });
  await beat(stage, 'False');
  await stage.remove(`${PODS}/web`);
  await stage.settle();
  expect(await stage.has(`${PODS}/web`)).toBe(false);
});
