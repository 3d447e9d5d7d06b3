import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness, type Body } from './controller-harness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const AFTER =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
const HOPELESS =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';

function openHarness(): Promise<ControllerHarness> {
  return ControllerHarness.open({ controllers: ['scheduler'] });
}

async function addNode(
  harness: ControllerHarness,
  name: string,
  { labels = {}, spec = {}, cpu = '2', ready = 'True' }: NodeOptions = {},
): Promise<void> {
  const allocatable = { cpu, memory: '4Gi', pods: '10' };
  await harness.make('/api/v1/nodes', name, {
    metadata: { labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [{ type: 'Ready', status: ready, reason: 'r', message: 'm' }],
    },
  });
  await harness.settle();
}

interface NodeOptions {
  readonly labels?: JsonObject;
  readonly spec?: JsonObject;
  readonly cpu?: string;
  readonly ready?: string;
}

function containers(requests: JsonObject = {}, fields: JsonObject = {}): readonly JsonObject[] {
  return [{ name: 'c', image: 'nginx:1', resources: { requests }, ...fields }];
}

async function addPod(
  harness: ControllerHarness,
  name: string,
  spec: JsonObject = {},
): Promise<Body> {
  const body = await harness.make(PODS, name, {
    metadata: { labels: { app: 'web' } },
    spec: { containers: containers(), ...spec },
  });
  await harness.settle();
  return body;
}

async function nodeOf(harness: ControllerHarness, name: string): Promise<unknown> {
  const { body } = await harness.get(`${PODS}/${name}`);
  return (body['spec'] as JsonObject)['nodeName'];
}

async function problemOf(harness: ControllerHarness, name: string): Promise<unknown> {
  const { body } = await harness.get(`${PODS}/${name}`);
  const { conditions = [] } = body['status'] as { conditions?: readonly JsonObject[] };
  const condition = conditions.find(({ type }) => type === 'PodScheduled');
  expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' });
  return condition?.['message'];
}

test('a pod is bound to the node that fits, and an event says so', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const pod = await addPod(harness, 'web');
  expect(await nodeOf(harness, 'web')).toBe('node-1');
  expect((await harness.get(`${PODS}/web`)).body['status']).toMatchObject({
    conditions: [{ type: 'PodScheduled', status: 'True' }],
  });
  expect(await harness.list(EVENTS)).toMatchObject([
    {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: 'Successfully assigned default/web to node-1',
      reportingController: 'default-scheduler',
      regarding: { kind: 'Pod', name: 'web', uid: pod.metadata['uid'], apiVersion: 'v1' },
    },
  ]);
});

test('without nodes a pod waits, and is bound when one comes', async () => {
  const harness = await openHarness();
  await addPod(harness, 'web');
  expect(await problemOf(harness, 'web')).toBe('no nodes available to schedule pods');
  await addNode(harness, 'node-1');
  await harness.settle();
  expect(await nodeOf(harness, 'web')).toBe('node-1');
});

test('pods that come together are counted before any of them is bound', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1', { cpu: '1' });
  const spec = { containers: containers({ cpu: '300m' }) };
  const names = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(names.map((name) => addPod(harness, name, spec)));
  await harness.settle(1000);
  const nodes = await Promise.all(names.map((name) => nodeOf(harness, name)));
  expect(nodes.filter((node) => node === 'node-1')).toHaveLength(3);
});

test("an insufficient resource is reported in kube-scheduler's words", async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'big', { containers: containers({ cpu: '3' }) });
  const message = `0/1 nodes are available: 1 Insufficient cpu. ${HOPELESS}`;
  expect(await problemOf(harness, 'big')).toBe(message);
  const [event] = await harness.list(EVENTS);
  expect(event).toMatchObject({ type: 'Warning', reason: 'FailedScheduling', note: message });
});

test('requests of existing pods count, and a pod that ends frees capacity', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const half = containers({ cpu: '1500m' });
  await addPod(harness, 'first', { containers: half });
  await addPod(harness, 'second', { containers: half });
  expect(await problemOf(harness, 'second')).toBe(
    `0/1 nodes are available: 1 Insufficient cpu. ${AFTER}`,
  );
  await harness.patch(`${PODS}/first/status`, { status: { phase: 'Succeeded' } });
  await harness.settle(1000);
  expect(await nodeOf(harness, 'second')).toBe('node-1');
});

test('init containers, sidecars and overhead count as in Kubernetes', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const sidecar = { restartPolicy: 'Always' };
  const [init] = containers({ cpu: '1500m' }, { name: 'init' });
  const [helper] = containers({ cpu: '600m' }, { name: 'helper', ...sidecar });
  await addPod(harness, 'both', { initContainers: [helper, init] as JsonObject[] });
  expect(await problemOf(harness, 'both')).toContain('1 Insufficient cpu');
  await addPod(harness, 'after', { initContainers: [init, helper] as JsonObject[] });
  expect(await nodeOf(harness, 'after')).toBe('node-1');
});

test('a node takes no more pods than its capacity', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  for (let index = 0; index < 10; index++) await addPod(harness, `p${index}`);
  await addPod(harness, 'one-more');
  expect(await problemOf(harness, 'one-more')).toBe(
    `0/1 nodes are available: 1 Too many pods. ${AFTER}`,
  );
});

test('of two nodes the one with more free capacity is chosen', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addNode(harness, 'node-2');
  for (const name of ['a', 'b', 'c', 'd']) await addPod(harness, name);
  const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => nodeOf(harness, name)));
  expect(nodes.filter((node) => node === 'node-1')).toHaveLength(2);
  expect(nodes[0]).not.toBe(nodes[1]);
});

test('the event counts the nodes by the reason why they do not fit', async () => {
  const harness = await openHarness();
  const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
  await addNode(harness, 'tainted', { spec: { taints } });
  await addNode(harness, 'closed', { spec: { unschedulable: true } });
  await addNode(harness, 'unready', { ready: 'False' });
  await addNode(harness, 'other');
  await addPod(harness, 'web', { nodeSelector: { disk: 'ssd' } });
  expect(await problemOf(harness, 'web')).toBe(
    "0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
      '1 node(s) were unschedulable, 2 node(s) had untolerated taint(s). ' +
      'no new claims to deallocate, preemption: 0/4 nodes are available: ' +
      '4 Preemption is not helpful for scheduling.',
  );
});

test('tolerations allow tainted nodes', async () => {
  const harness = await openHarness();
  const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
  await addNode(harness, 'tainted', { spec: { taints } });
  const tolerations = [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }];
  await addPod(harness, 'web', { tolerations });
  expect(await nodeOf(harness, 'web')).toBe('tainted');
});

test('a node that becomes ready, loses its taint or is labelled is tried again', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1', { ready: 'False' });
  await addPod(harness, 'web', { nodeSelector: { disk: 'ssd' } });
  expect(await problemOf(harness, 'web')).toContain('untolerated taint');
  const conditions = [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }];
  await harness.patch('/api/v1/nodes/node-1/status', { status: { conditions } });
  await harness.settle(2000);
  expect(await problemOf(harness, 'web')).toContain('affinity/selector');
  await harness.patch('/api/v1/nodes/node-1', { metadata: { labels: { disk: 'ssd' } } });
  await harness.settle(10_000);
  expect(await nodeOf(harness, 'web')).toBe('node-1');
});

test('a heartbeat of a node is no reason to try again', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'web', { nodeSelector: { disk: 'ssd' } });
  const before = (await harness.list(EVENTS)).length;
  const timers = harness.clock.pending;
  const conditions = [{ type: 'Ready', status: 'True', reason: 'r', message: 'still' }];
  await harness.patch('/api/v1/nodes/node-1/status', { status: { conditions } });
  await harness.settle(60_000);
  expect(await harness.list(EVENTS)).toHaveLength(before);
  expect(harness.clock.pending).toBe(timers);
});

const onNodes = (...nodeSelectorTerms: readonly JsonObject[]): JsonObject => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});

test('required node affinity chooses by labels and by name', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1', { labels: { gen: '3' } });
  await addNode(harness, 'node-2', { labels: { gen: '7' } });
  const newer = { matchExpressions: [{ key: 'gen', operator: 'Gt', values: ['5'] }] };
  await addPod(harness, 'a', onNodes(newer));
  expect(await nodeOf(harness, 'a')).toBe('node-2');
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] };
  await addPod(harness, 'b', onNodes(named));
  expect(await nodeOf(harness, 'b')).toBe('node-1');
  const noNode = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-9'] }] };
  await addPod(harness, 'c', onNodes(noNode));
  expect(await problemOf(harness, 'c')).toBe(
    "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
      'no new claims to deallocate, preemption: 0/2 nodes are available: ' +
      '2 Preemption is not helpful for scheduling.',
  );
});

test('a host port is given once on each address', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const on = (hostIP: string): JsonObject => ({
    containers: containers({}, { ports: [{ containerPort: 80, hostPort: 8080, hostIP }] }),
  });
  await addPod(harness, 'a', on('10.0.0.1'));
  await addPod(harness, 'b', on('10.0.0.2'));
  expect(await nodeOf(harness, 'b')).toBe('node-1');
  await addPod(harness, 'c', on(''));
  expect(await problemOf(harness, 'c')).toBe(
    `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${AFTER}`,
  );
});

const near = (kind: 'podAffinity' | 'podAntiAffinity'): JsonObject => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  },
});

test('pods with anti-affinity go to different nodes', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'a', near('podAntiAffinity'));
  await addPod(harness, 'b', near('podAntiAffinity'));
  expect(await problemOf(harness, 'b')).toBe(
    `0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. ${AFTER}`,
  );
  await addPod(harness, 'plain');
  expect(await problemOf(harness, 'plain')).toBe(
    `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${AFTER}`,
  );
  await harness.remove(`${PODS}/a?gracePeriodSeconds=0`);
  await harness.settle(10_000);
  expect(await nodeOf(harness, 'b')).toBe('node-1');
});

test('a pod with affinity waits for a match, unless it matches itself', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addNode(harness, 'node-2');
  const other = { app: 'other' };
  await harness.make(PODS, 'lonely', {
    metadata: { labels: other },
    spec: { containers: containers(), ...near('podAffinity') },
  });
  await harness.settle();
  expect(await problemOf(harness, 'lonely')).toContain(
    "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
  );
  await addPod(harness, 'web', near('podAffinity'));
  await harness.settle(10_000);
  expect(await nodeOf(harness, 'lonely')).toBe(await nodeOf(harness, 'web'));
});

test('hard spreading keeps the zones balanced', async () => {
  const harness = await openHarness();
  await addNode(harness, 'n1', { labels: { zone: 'a' }, cpu: '16' });
  await addNode(harness, 'n2', { labels: { zone: 'b' }, cpu: '1' });
  await addNode(harness, 'n3', { cpu: '16' });
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ];
  const spec = { topologySpreadConstraints, containers: containers({ cpu: '600m' }) };
  await addPod(harness, 'a', spec);
  await addPod(harness, 'b', spec);
  await addPod(harness, 'c', spec);
  expect(await Promise.all(['a', 'b', 'c'].map((name) => nodeOf(harness, name)))).toEqual([
    'n1',
    'n2',
    'n1',
  ]);
  await addPod(harness, 'd', spec);
  expect(await problemOf(harness, 'd')).toContain(
    "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread " +
      "constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).",
  );
});

test('the pod of higher priority goes first', async () => {
  const harness = await openHarness();
  await harness.make('/apis/scheduling.k8s.io/v1/priorityclasses', 'high', { value: 1000 });
  const spec = { containers: containers({ cpu: '2' }) };
  await addPod(harness, 'low', spec);
  await addPod(harness, 'high', { ...spec, priorityClassName: 'high' });
  await harness.settle(20_000);
  await addNode(harness, 'node-1');
  await harness.settle(20_000);
  expect(await nodeOf(harness, 'high')).toBe('node-1');
  expect(await nodeOf(harness, 'low')).toBeUndefined();
});

test('pods of other schedulers, with gates, or being deleted are left alone', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'foreign', { schedulerName: 'mine' });
  await addPod(harness, 'gated', { schedulingGates: [{ name: 'example.com/wait' }] });
  expect(await nodeOf(harness, 'foreign')).toBeUndefined();
  expect(await nodeOf(harness, 'gated')).toBeUndefined();
  await harness.patch(`${PODS}/gated`, { spec: { schedulingGates: null } });
  await harness.settle();
  expect(await nodeOf(harness, 'gated')).toBe('node-1');
});

const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

const claimOf = (spec: JsonObject): JsonObject => ({
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});

const volumeOf = (spec: JsonObject = {}): JsonObject => ({
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: '/data' },
    ...spec,
  },
});

test('a missing or unbound claim is waited for', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  await addPod(harness, 'web', { volumes });
  expect(await problemOf(harness, 'web')).toBe(
    '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
  );
  await harness.make(CLAIMS, 'data', claimOf({ volumeName: 'pv' }));
  await harness.settle(2000);
  expect(await problemOf(harness, 'web')).toBe(
    '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
  );
  await harness.make('/api/v1/persistentvolumes', 'pv', volumeOf());
  await harness.patch(`${CLAIMS}/data`, {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  });
  await harness.settle(4000);
  expect(await nodeOf(harness, 'web')).toBe('node-1');
});

test('an unschedulable pod is retried with growing back-off, in one event', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'other', { containers: containers({ cpu: '1' }) });
  await addPod(harness, 'web', { containers: containers({ cpu: '2' }) });
  for (let index = 0; index < 6; index++) {
    await addPod(harness, 'short', { nodeName: 'node-1' });
    await harness.remove(`${PODS}/short?gracePeriodSeconds=0`);
    await harness.settle(10_000);
  }
  const seriesOf = async (): Promise<unknown> =>
    (await harness.list(EVENTS))
      .filter(({ reason }) => reason === 'FailedScheduling')
      .map(({ series }) => series ?? null);
  // Refused for the first time, the pod had another version.
  expect(await seriesOf()).toEqual([null, { count: 2, lastObservedTime: expect.any(String) }]);
  // The pod is tried every five minutes now, and the count is written every half an hour.
  await harness.settle(40 * 60_000);
  expect(await seriesOf()).toMatchObject([null, { count: 13 }]);
});

test('a pod is only retried after a change that could help it', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'picky', { nodeSelector: { disk: 'ssd' } });
  const countOf = async (): Promise<unknown> => {
    const events = await harness.list(EVENTS);
    const own = events.filter(({ reason }) => reason === 'FailedScheduling');
    return own.map(({ series }) => series ?? null);
  };
  expect(await countOf()).toEqual([null]);
  for (const name of ['a', 'b', 'c']) {
    await addPod(harness, name);
    await harness.settle(20_000);
  }
  expect(await countOf()).toEqual([null]);
});
