/** Preemption, nominations, waiting claims and the Lease, through the API; shapes of Kubernetes' e2e tests. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ControllerHarness } from './controller-harness.ts';

const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

async function openHarness(): Promise<ControllerHarness> {
  const harness = new ControllerHarness({ controllers: ['scheduler'] });
  for (const name of ['default', 'kube-system']) await harness.make('/api/v1/namespaces', name);
  await harness.make('/api/v1/namespaces/default/serviceaccounts', 'default');
  for (const [name, value] of Object.entries({ low: 1, middle: 100, high: 1000 })) {
    await harness.make('/apis/scheduling.k8s.io/v1/priorityclasses', name, { value });
  }
  harness.start();
  return harness;
}

async function addNode(harness: ControllerHarness, name: string): Promise<void> {
  const allocatable = { cpu: '2', memory: '4Gi', pods: '10' };
  await harness.make('/api/v1/nodes', name, {
    metadata: { labels: { 'kubernetes.io/hostname': name } },
    status: {
      capacity: allocatable,
      allocatable,
      conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }],
    },
  });
}

async function addPod(
  harness: ControllerHarness,
  name: string,
  priorityClassName: string,
  more: JsonObject = {},
): Promise<void> {
  const resources = { requests: { cpu: '2' } };
  const containers = [{ name: 'c', image: 'nginx:1', resources }];
  await harness.make(PODS, name, { spec: { containers, priorityClassName, ...more } });
  await harness.settle();
}

async function podOf(
  harness: ControllerHarness,
  name: string,
): Promise<Record<'metadata' | 'spec' | 'status', JsonObject>> {
  return (await harness.get(`${PODS}/${name}`)).body as never;
}

test('a pod of higher priority preempts one of lower priority, which ends with grace', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'victim', 'low');
  await addPod(harness, 'preemptor', 'high');
  await harness.settle();
  const victim = await podOf(harness, 'victim');
  expect(victim.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect(victim.status['conditions']).toContainEqual(
    expect.objectContaining({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    }),
  );
  const { status, metadata } = await podOf(harness, 'preemptor');
  expect(status['nominatedNodeName']).toBe('node-1');
  expect(status['conditions']).toMatchObject([
    { reason: 'Unschedulable', message: '0/1 nodes are available: 1 Insufficient cpu.' },
  ]);
  const events = await harness.list(EVENTS);
  expect(events.find(({ reason }) => reason === 'Preempted')).toMatchObject({
    type: 'Normal',
    action: 'Preempting',
    note: `Preempted by pod ${metadata['uid'] as string} on node node-1`,
    regarding: { name: 'victim' },
    related: { name: 'preemptor' },
  });
  await harness.remove(`${PODS}/victim?gracePeriodSeconds=0`);
  await harness.settle(2000);
  const bound = await podOf(harness, 'preemptor');
  expect(bound.spec['nodeName']).toBe('node-1');
  expect(bound.status['nominatedNodeName']).toBeUndefined();
});

test('capacity that was freed for a pod is kept for it, unless a higher priority takes it', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await addPod(harness, 'victim', 'low');
  await addPod(harness, 'first', 'middle');
  await addPod(harness, 'second', 'middle');
  expect((await podOf(harness, 'second')).status['nominatedNodeName']).toBeUndefined();
  await addPod(harness, 'top', 'high');
  await harness.settle();
  expect((await podOf(harness, 'top')).status['nominatedNodeName']).toBe('node-1');
  expect((await podOf(harness, 'first')).status['nominatedNodeName']).toBeUndefined();
  await harness.remove(`${PODS}/victim?gracePeriodSeconds=0`);
  await harness.settle(20_000);
  expect((await podOf(harness, 'top')).spec['nodeName']).toBe('node-1');
  expect((await podOf(harness, 'first')).spec['nodeName']).toBeUndefined();
});

test('with preemptionPolicy Never nothing is preempted', async () => {
  const harness = await openHarness();
  await harness.make('/apis/scheduling.k8s.io/v1/priorityclasses', 'polite', {
    value: 5000,
    preemptionPolicy: 'Never',
  });
  await addNode(harness, 'node-1');
  await addPod(harness, 'low', 'low');
  await addPod(harness, 'polite', 'polite');
  expect((await podOf(harness, 'low')).metadata['deletionTimestamp']).toBeUndefined();
  const { conditions } = (await podOf(harness, 'polite')).status;
  expect(conditions).toMatchObject([
    { message: expect.stringContaining('not eligible due to preemptionPolicy=Never.') },
  ]);
});

test('a pod with resource claims is refused, and the message says why', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const resourceClaims = [{ name: 'gpu', resourceClaimName: 'gpu' }];
  await addPod(harness, 'web', 'low', { resourceClaims });
  expect((await podOf(harness, 'web')).status['conditions']).toMatchObject([
    {
      message:
        '0/1 nodes are available: pod has resource claims (spec.resourceClaims), ' +
        "which podkeep's scheduler does not allocate.",
    },
  ]);
});

const claim = {
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'late',
    resources: { requests: { storage: '1Gi' } },
  },
};

async function addClass(harness: ControllerHarness, provisioner: string): Promise<void> {
  await harness.make('/apis/storage.k8s.io/v1/storageclasses', 'late', {
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
}

async function completeBinding(harness: ControllerHarness, volumeName: string): Promise<void> {
  await harness.patch(`${CLAIMS}/data`, {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName },
  });
  await harness.settle();
}

const usesClaim = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };

test('a claim that waits for its pod gets the selected node, and the pod is bound after it', async () => {
  const harness = await openHarness();
  await addClass(harness, 'example.com/disk');
  await addNode(harness, 'node-1');
  await harness.make(CLAIMS, 'data', claim);
  await addPod(harness, 'web', 'low', usesClaim);
  expect((await harness.get(`${CLAIMS}/data`)).body.metadata['annotations']).toMatchObject({
    'volume.kubernetes.io/selected-node': 'node-1',
  });
  expect((await podOf(harness, 'web')).spec['nodeName']).toBeUndefined();
  await completeBinding(harness, 'made');
  expect((await podOf(harness, 'web')).spec['nodeName']).toBe('node-1');
});

test('a provisioner that takes too long fails the attempt, and it is made again', async () => {
  const harness = await openHarness();
  await addClass(harness, 'example.com/disk');
  await addNode(harness, 'node-1');
  await harness.make(CLAIMS, 'data', claim);
  await addPod(harness, 'web', 'low', usesClaim);
  await harness.settle(10 * 60_000);
  expect((await podOf(harness, 'web')).status['conditions']).toMatchObject([
    {
      reason: 'SchedulerError',
      message: 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    },
  ]);
  await completeBinding(harness, 'made');
  await harness.make('/api/v1/persistentvolumes', 'made', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/data' },
    },
  });
  await harness.settle(20_000);
  expect((await podOf(harness, 'web')).spec['nodeName']).toBe('node-1');
});

test('a volume that exists is reserved for the claim, on a node from which it can be reached', async () => {
  const harness = await openHarness();
  await addClass(harness, 'kubernetes.io/no-provisioner');
  for (const name of ['node-1', 'node-2']) await addNode(harness, name);
  const values = ['node-2'];
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values };
  await harness.make('/api/v1/persistentvolumes', 'local', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      storageClassName: 'late',
      hostPath: { path: '/data' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  });
  await harness.patch('/api/v1/persistentvolumes/local/status', { status: { phase: 'Available' } });
  await harness.make(CLAIMS, 'data', claim);
  await addPod(harness, 'web', 'low', usesClaim);
  expect((await harness.get('/api/v1/persistentvolumes/local')).body).toMatchObject({
    metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' } },
  });
  await completeBinding(harness, 'local');
  expect((await podOf(harness, 'web')).spec['nodeName']).toBe('node-2');
});

test('the Lease is taken with the first pending pod, and given up at the end', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  await harness.settle(10_000);
  expect(await harness.has(`${LEASES}/kube-scheduler`)).toBe(false);
  await addPod(harness, 'web', 'low');
  expect((await podOf(harness, 'web')).spec['nodeName']).toBe('node-1');
  const namespace = (await harness.get('/api/v1/namespaces/kube-system')).body;
  const { body } = await harness.get(`${LEASES}/kube-scheduler`);
  expect(body['spec']).toMatchObject({
    holderIdentity: `podkeep_${namespace.metadata['uid'] as string}`,
  });
  const stopped = harness.stop();
  await harness.settle();
  await stopped;
  expect((await harness.get(`${LEASES}/kube-scheduler`)).body['spec']).toMatchObject({
    holderIdentity: '',
  });
});

test('while another scheduler holds the Lease, no pod is bound', async () => {
  const harness = await openHarness();
  await addNode(harness, 'node-1');
  const renewTime = '2030-01-02T03:04:05.000000Z';
  const spec = { holderIdentity: 'kube-scheduler-1', leaseDurationSeconds: 15, renewTime };
  await harness.make(LEASES, 'kube-scheduler', { spec });
  await addPod(harness, 'web', 'low');
  expect((await podOf(harness, 'web')).spec['nodeName']).toBeUndefined();
  await harness.settle(20_000);
  expect((await podOf(harness, 'web')).spec['nodeName']).toBe('node-1');
  await harness.patch(`${LEASES}/kube-scheduler`, { spec });
  await harness.remove(`${PODS}/web?gracePeriodSeconds=0`);
  await addPod(harness, 'next', 'low');
  expect((await podOf(harness, 'next')).spec['nodeName']).toBeUndefined();
});
