import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerStage, type Body } from './stage.ts';

const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const AFTER =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
const HOPELESS =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';

function openStage(): Promise<ControllerStage> {
  return ControllerStage.open({ controllers: ['scheduler'] });
}

async function addNode(
  stage: ControllerStage,
  name: string,
  { labels = {}, spec = {}, cpu = '2', ready = 'True' }: NodeOptions = {},
): Promise<void> {
  const allocatable = { cpu, memory: '4Gi', pods: '10' };
  await stage.make('/api/v1/nodes', name, {
    metadata: { labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [{ type: 'Ready', status: ready, reason: 'r', message: 'm' }],
    },
  });
  await stage.settle();
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

async function addPod(stage: ControllerStage, name: string, spec: JsonObject = {}): Promise<Body> {
  const body = await stage.make(PODS, name, {
    metadata: { labels: { app: 'web' } },
    spec: { containers: containers(), ...spec },
  });
  await stage.settle();
  return body;
}

async function nodeOf(stage: ControllerStage, name: string): Promise<unknown> {
  const { body } = await stage.get(`${PODS}/${name}`);
  return (body['spec'] as JsonObject)['nodeName'];
}

async function complaintOf(stage: ControllerStage, name: string): Promise<unknown> {
  const { body } = await stage.get(`${PODS}/${name}`);
  const { conditions = [] } = body['status'] as { conditions?: readonly JsonObject[] };
  const condition = conditions.find(({ type }) => type === 'PodScheduled');
  expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' });
  return condition?.['message'];
}

test('a pod is bound to the node that fits, and an event says so', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  const pod = await addPod(stage, 'web');
  expect(await nodeOf(stage, 'web')).toBe('node-1');
  expect((await stage.get(`${PODS}/web`)).body['status']).toMatchObject({
    conditions: [{ type: 'PodScheduled', status: 'True' }],
  });
  expect(await stage.list(EVENTS)).toMatchObject([
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
  const stage = await openStage();
  await addPod(stage, 'web');
  expect(await complaintOf(stage, 'web')).toBe('no nodes available to schedule pods');
  await addNode(stage, 'node-1');
  await stage.settle();
  expect(await nodeOf(stage, 'web')).toBe('node-1');
});

test('pods that come together are counted before any of them is written down', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1', { cpu: '1' });
  const spec = { containers: containers({ cpu: '300m' }) };
  const names = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(names.map((name) => addPod(stage, name, spec)));
  await stage.settle(1000);
  const nodes = await Promise.all(names.map((name) => nodeOf(stage, name)));
  expect(nodes.filter((node) => node === 'node-1')).toHaveLength(3);
});

test("what is too much for the node is said in kube-scheduler's words", async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'big', { containers: containers({ cpu: '3' }) });
  const message = `0/1 nodes are available: 1 Insufficient cpu. ${HOPELESS}`;
  expect(await complaintOf(stage, 'big')).toBe(message);
  const [event] = await stage.list(EVENTS);
  expect(event).toMatchObject({ type: 'Warning', reason: 'FailedScheduling', note: message });
});

test('requests of pods that are there count, and a pod that ends makes room', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  const half = containers({ cpu: '1500m' });
  await addPod(stage, 'first', { containers: half });
  await addPod(stage, 'second', { containers: half });
  expect(await complaintOf(stage, 'second')).toBe(
    `0/1 nodes are available: 1 Insufficient cpu. ${AFTER}`,
  );
  await stage.patch(`${PODS}/first/status`, { status: { phase: 'Succeeded' } });
  await stage.settle(1000);
  expect(await nodeOf(stage, 'second')).toBe('node-1');
});

test('init containers, sidecars and overhead count as kube counts them', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  const sidecar = { restartPolicy: 'Always' };
  const [init] = containers({ cpu: '1500m' }, { name: 'init' });
  const [helper] = containers({ cpu: '600m' }, { name: 'helper', ...sidecar });
  await addPod(stage, 'both', { initContainers: [helper, init] as JsonObject[] });
  expect(await complaintOf(stage, 'both')).toContain('1 Insufficient cpu');
  await addPod(stage, 'after', { initContainers: [init, helper] as JsonObject[] });
  expect(await nodeOf(stage, 'after')).toBe('node-1');
});

test('a node takes no more pods than it says', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  for (let index = 0; index < 10; index++) await addPod(stage, `p${index}`);
  await addPod(stage, 'one-more');
  expect(await complaintOf(stage, 'one-more')).toBe(
    `0/1 nodes are available: 1 Too many pods. ${AFTER}`,
  );
});

test('of two nodes the one with more room is taken', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addNode(stage, 'node-2');
  for (const name of ['a', 'b', 'c', 'd']) await addPod(stage, name);
  const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => nodeOf(stage, name)));
  expect(nodes).toEqual(['node-1', 'node-2', 'node-1', 'node-2']);
});

test('every node says what it has against a pod', async () => {
  const stage = await openStage();
  const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
  await addNode(stage, 'tainted', { spec: { taints } });
  await addNode(stage, 'closed', { spec: { unschedulable: true } });
  await addNode(stage, 'unready', { ready: 'False' });
  await addNode(stage, 'other');
  await addPod(stage, 'web', { nodeSelector: { disk: 'ssd' } });
  expect(await complaintOf(stage, 'web')).toBe(
    "0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
      '1 node(s) were unschedulable, 2 node(s) had untolerated taint(s). ' +
      'no new claims to deallocate, preemption: 0/4 nodes are available: ' +
      '4 Preemption is not helpful for scheduling.',
  );
});

test('tolerations open nodes that are closed to others', async () => {
  const stage = await openStage();
  const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
  await addNode(stage, 'tainted', { spec: { taints } });
  const tolerations = [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }];
  await addPod(stage, 'web', { tolerations });
  expect(await nodeOf(stage, 'web')).toBe('tainted');
});

test('a node that becomes ready, loses its taint or is labelled is tried again', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1', { ready: 'False' });
  await addPod(stage, 'web', { nodeSelector: { disk: 'ssd' } });
  expect(await complaintOf(stage, 'web')).toContain('untolerated taint');
  const conditions = [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }];
  await stage.patch('/api/v1/nodes/node-1/status', { status: { conditions } });
  await stage.settle(2000);
  expect(await complaintOf(stage, 'web')).toContain('affinity/selector');
  await stage.patch('/api/v1/nodes/node-1', { metadata: { labels: { disk: 'ssd' } } });
  await stage.settle(10_000);
  expect(await nodeOf(stage, 'web')).toBe('node-1');
});

test('a heartbeat of a node is no reason to try again', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'web', { nodeSelector: { disk: 'ssd' } });
  const before = (await stage.list(EVENTS)).length;
  const timers = stage.clock.pending;
  const conditions = [{ type: 'Ready', status: 'True', reason: 'r', message: 'still' }];
  await stage.patch('/api/v1/nodes/node-1/status', { status: { conditions } });
  await stage.settle(60_000);
  expect(await stage.list(EVENTS)).toHaveLength(before);
  expect(stage.clock.pending).toBe(timers);
});

const onNodes = (...nodeSelectorTerms: readonly JsonObject[]): JsonObject => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});

test('required node affinity chooses by labels and by name', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1', { labels: { gen: '3' } });
  await addNode(stage, 'node-2', { labels: { gen: '7' } });
  const newer = { matchExpressions: [{ key: 'gen', operator: 'Gt', values: ['5'] }] };
  await addPod(stage, 'a', onNodes(newer));
  expect(await nodeOf(stage, 'a')).toBe('node-2');
  const named = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] };
  await addPod(stage, 'b', onNodes(named));
  expect(await nodeOf(stage, 'b')).toBe('node-1');
  const nobody = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-9'] }] };
  await addPod(stage, 'c', onNodes(nobody));
  expect(await complaintOf(stage, 'c')).toBe(
    "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
      'no new claims to deallocate, preemption: 0/2 nodes are available: ' +
      '2 Preemption is not helpful for scheduling.',
  );
});

test('a host port is given once on each address', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  const on = (hostIP: string): JsonObject => ({
    containers: containers({}, { ports: [{ containerPort: 80, hostPort: 8080, hostIP }] }),
  });
  await addPod(stage, 'a', on('10.0.0.1'));
  await addPod(stage, 'b', on('10.0.0.2'));
  expect(await nodeOf(stage, 'b')).toBe('node-1');
  await addPod(stage, 'c', on(''));
  expect(await complaintOf(stage, 'c')).toBe(
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

test('pods that keep away from each other are on nodes of their own', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'a', near('podAntiAffinity'));
  await addPod(stage, 'b', near('podAntiAffinity'));
  expect(await complaintOf(stage, 'b')).toBe(
    `0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. ${AFTER}`,
  );
  await addPod(stage, 'plain');
  expect(await complaintOf(stage, 'plain')).toBe(
    `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${AFTER}`,
  );
  await stage.remove(`${PODS}/a?gracePeriodSeconds=0`);
  await stage.settle(10_000);
  expect(await nodeOf(stage, 'b')).toBe('node-1');
});

test('a pod that wants company waits for it, unless it is its own company', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addNode(stage, 'node-2');
  const other = { app: 'other' };
  await stage.make(PODS, 'lonely', {
    metadata: { labels: other },
    spec: { containers: containers(), ...near('podAffinity') },
  });
  await stage.settle();
  expect(await complaintOf(stage, 'lonely')).toContain(
    "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
  );
  await addPod(stage, 'web', near('podAffinity'));
  await stage.settle(10_000);
  expect(await nodeOf(stage, 'lonely')).toBe(await nodeOf(stage, 'web'));
});

test('hard spreading keeps the zones level', async () => {
  const stage = await openStage();
  await addNode(stage, 'n1', { labels: { zone: 'a' }, cpu: '16' });
  await addNode(stage, 'n2', { labels: { zone: 'b' }, cpu: '1' });
  await addNode(stage, 'n3', { cpu: '16' });
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ];
  const spec = { topologySpreadConstraints, containers: containers({ cpu: '600m' }) };
  await addPod(stage, 'a', spec);
  await addPod(stage, 'b', spec);
  await addPod(stage, 'c', spec);
  expect(await Promise.all(['a', 'b', 'c'].map((name) => nodeOf(stage, name)))).toEqual([
    'n1',
    'n2',
    'n1',
  ]);
  await addPod(stage, 'd', spec);
  expect(await complaintOf(stage, 'd')).toContain(
    "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread " +
      "constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).",
  );
});

test('the more important pod goes first', async () => {
  const stage = await openStage();
  await stage.make('/apis/scheduling.k8s.io/v1/priorityclasses', 'high', { value: 1000 });
  const spec = { containers: containers({ cpu: '2' }) };
  await addPod(stage, 'low', spec);
  await addPod(stage, 'high', { ...spec, priorityClassName: 'high' });
  await stage.settle(20_000);
  await addNode(stage, 'node-1');
  await stage.settle(20_000);
  expect(await nodeOf(stage, 'high')).toBe('node-1');
  expect(await nodeOf(stage, 'low')).toBeUndefined();
});

test('pods of other schedulers, with gates, or on their way out are left alone', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'foreign', { schedulerName: 'mine' });
  await addPod(stage, 'gated', { schedulingGates: [{ name: 'example.com/wait' }] });
  expect(await nodeOf(stage, 'foreign')).toBeUndefined();
  expect(await nodeOf(stage, 'gated')).toBeUndefined();
  await stage.patch(`${PODS}/gated`, { spec: { schedulingGates: null } });
  await stage.settle();
  expect(await nodeOf(stage, 'gated')).toBe('node-1');
});

test('a claim that is not there or not bound is waited for', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  await addPod(stage, 'web', { volumes });
  expect(await complaintOf(stage, 'web')).toBe(
    '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
  );
  await stage.make('/api/v1/namespaces/default/persistentvolumeclaims', 'data', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: 'pv',
    },
  });
  await stage.settle(2000);
  expect(await nodeOf(stage, 'web')).toBe('node-1');
});

test('a refused pod is tried again less and less often, and says so in one event', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'web', { nodeSelector: { disk: 'ssd' } });
  for (let index = 0; index < 6; index++) {
    await stage.patch('/api/v1/nodes/node-1', { metadata: { labels: { n: String(index) } } });
    await stage.settle(10_000);
  }
  const events = await stage.list(EVENTS);
  expect(events).toHaveLength(2);
  expect(events[1]).toMatchObject({ series: { count: 6 } });
});

test('a pod is only tried again when something changed that could help it', async () => {
  const stage = await openStage();
  await addNode(stage, 'node-1');
  await addPod(stage, 'picky', { nodeSelector: { disk: 'ssd' } });
  const countOf = async (): Promise<unknown> => {
    const events = await stage.list(EVENTS);
    const own = events.filter(({ reason }) => reason === 'FailedScheduling');
    return own.map(({ series }) => series ?? null);
  };
  expect(await countOf()).toEqual([null]);
  for (const name of ['a', 'b', 'c']) {
    await addPod(stage, name);
    await stage.settle(20_000);
  }
  expect(await countOf()).toEqual([null]);
});
