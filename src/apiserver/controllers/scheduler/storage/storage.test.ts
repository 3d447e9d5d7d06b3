import { describe, expect, test, vi } from 'vitest';
import {
  addToNode,
  memoryStorage,
  placementDeps,
  schedulerNode,
  schedulerPod,
  type StorageShape,
} from '../../../../../test/support/scheduler-harness.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { Cluster } from '../cluster.ts';
import { placePod } from '../placement.ts';
import type { VolumePromises } from './volume-binding.ts';

const ZONE = 'topology.kubernetes.io/zone';
const AFTER =
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';
const NO_PROMISES: VolumePromises = { volumes: new Set(), nodes: new Map() };

function clusterOf(): Cluster {
  const cluster = new Cluster();
  for (const [name, zone] of [
    ['a', '1'],
    ['b', '2'],
  ] as const) {
    cluster.putNode(schedulerNode(name, { labels: { [ZONE]: zone } }));
  }
  return cluster;
}

const uses = (claimName = 'data'): JsonObject => ({
  volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
});

/** The node, or the message of the refusal. */
function place(
  storage: StorageShape,
  spec: JsonObject = uses(),
  { cluster = clusterOf(), promises = NO_PROMISES } = {},
): string {
  const deps = placementDeps(cluster, { storage: memoryStorage(storage), promises });
  const placement = placePod(schedulerPod('new', { spec }), deps);
  return placement.type === 'fits' ? placement.node.name : placement.message;
}

function claimOf(
  spec: JsonObject,
  annotations: JsonObject = {},
  more: JsonObject = {},
): JsonObject {
  const resources = { requests: { storage: '1Gi' } };
  const metadata = { name: 'data', namespace: 'default', uid: 'u', annotations };
  return { metadata, spec: { accessModes: ['ReadWriteOnce'], resources, ...spec }, ...more };
}

function volumeOf(name: string, spec: JsonObject, labels: JsonObject = {}): JsonObject {
  return {
    metadata: { name, labels },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
    status: { phase: 'Available' },
  };
}

const onNode = (key: string, value: string): JsonObject => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }],
    },
  },
});

const DONE = { 'pv.kubernetes.io/bind-completed': 'yes' };
const LATE = { volumeBindingMode: 'WaitForFirstConsumer', metadata: { name: 'late' } };
const bound = claimOf({ volumeName: 'pv' }, DONE);
const late = claimOf({ storageClassName: 'late' });

describe('a claim', () => {
  test.each<[string, StorageShape, string]>([
    ['that is missing', {}, 'persistentvolumeclaim "data" not found'],
    [
      'that is being deleted',
      {
        claims: {
          'default/data': { ...bound, metadata: { name: 'data', deletionTimestamp: 'x' } },
        },
      },
      'persistentvolumeclaim "data" is being deleted',
    ],
    [
      'that lost its volume',
      {
        claims: {
          'default/data': claimOf({ volumeName: 'pv' }, {}, { status: { phase: 'Lost' } }),
        },
      },
      'persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"',
    ],
    [
      'that is not bound',
      { claims: { 'default/data': claimOf({}) } },
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'whose volume is missing',
      { claims: { 'default/data': bound } },
      'persistentvolume "pv" not found',
    ],
  ])('%s rules out all nodes', (_, storage, reason) => {
    expect(place(storage)).toBe(`0/2 nodes are available: ${reason}. not found`);
  });

  test('of an ephemeral volume must belong to the pod', () => {
    const spec = { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: {} } }] };
    expect(place({}, spec)).toContain(
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "new-v"',
    );
    expect(place({ claims: { 'default/new-v': bound } }, spec)).toContain(
      'PVC default/new-v was not created for pod default/new (pod is not owner)',
    );
  });
});

describe('a volume', () => {
  test('is used where its node affinity allows', () => {
    const volume = (zone: string): StorageShape => ({
      claims: { 'default/data': bound },
      volumes: { pv: volumeOf('pv', onNode(ZONE, zone)) },
    });
    expect(place(volume('2'))).toBe('b');
    expect(place(volume('3'))).toBe(
      `0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. ${AFTER}`,
    );
  });

  test('with labels of zones is used in one of them', () => {
    const volume = (zones: string): StorageShape => ({
      claims: { 'default/data': bound },
      volumes: { pv: volumeOf('pv', {}, { 'failure-domain.beta.kubernetes.io/zone': zones }) },
    });
    expect(place(volume('2__3'))).toBe('b');
    expect(place(volume('3'))).toContain('2 node(s) had no available volume zone.');
  });

  test('that waits for a pod is found by size, class, mode and node', () => {
    const storage = (volumes: Readonly<Record<string, JsonObject>>): StorageShape => ({
      claims: { 'default/data': late },
      classes: { late: { ...LATE, provisioner: 'kubernetes.io/no-provisioner' } },
      volumes,
    });
    const local = { storageClassName: 'late', ...onNode('kubernetes.io/hostname', 'b') };
    const nothing = "2 node(s) didn't find available persistent volumes to bind.";
    expect(place(storage({ pv: volumeOf('pv', local) }))).toBe('b');
    const small = { ...local, capacity: { storage: '1Mi' } };
    expect(place(storage({ pv: volumeOf('pv', small) }))).toContain(nothing);
    const other = { ...local, storageClassName: 'other' };
    expect(place(storage({ pv: volumeOf('pv', other) }))).toContain(nothing);
    const reading = { ...local, accessModes: ['ReadOnlyMany'] };
    expect(place(storage({ pv: volumeOf('pv', reading) }))).toContain(nothing);
    const taken = { ...local, claimRef: { namespace: 'default', name: 'other' } };
    expect(place(storage({ pv: volumeOf('pv', taken) }))).toContain(nothing);
    const promises = { volumes: new Set(['pv']), nodes: new Map<string, string>() };
    const promised = place(storage({ pv: volumeOf('pv', local) }), uses(), { promises });
    expect(promised).toContain(nothing);
  });

  test('is created on the selected node, within the topology and the capacity of its class', () => {
    const storage = (more: StorageShape, fields: JsonObject = {}): StorageShape => ({
      claims: { 'default/data': late },
      classes: { late: { ...LATE, provisioner: 'example.com/disk', ...fields } },
      ...more,
    });
    const selected = claimOf(
      { storageClassName: 'late' },
      { 'volume.kubernetes.io/selected-node': 'b' },
    );
    expect(place(storage({ claims: { 'default/data': selected } }))).toBe('b');
    const allowedTopologies = [{ matchLabelExpressions: [{ key: ZONE, values: ['2'] }] }];
    expect(place(storage({}, { allowedTopologies }))).toBe('b');
    const drivers = { 'example.com/disk': { spec: { storageCapacity: true } } };
    const capacity = (amount: string): JsonObject => ({
      storageClassName: 'late',
      nodeTopology: { matchLabels: { [ZONE]: '2' } },
      capacity: amount,
    });
    expect(place(storage({ drivers, capacities: [capacity('2Gi')] }))).toBe('b');
    expect(place(storage({ drivers, capacities: [capacity('1Mi')] }))).toContain(
      '2 node(s) did not have enough free storage.',
    );
  });
});

test('a claim with ReadWriteOncePod is used by one pod', () => {
  const storage = {
    claims: {
      'default/data': claimOf({ volumeName: 'pv', accessModes: ['ReadWriteOncePod'] }, DONE),
    },
    volumes: { pv: volumeOf('pv', {}) },
  };
  const cluster = clusterOf();
  expect(['a', 'b']).toContain(place(storage, uses(), { cluster }));
  addToNode(cluster, 'a', 'x', { spec: uses() });
  expect(place(storage, uses(), { cluster })).toContain(
    '2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.',
  );
  expect(place(storage, { ...uses(), priority: 5 }, { cluster })).toBe(
    '0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.',
  );
});

test('a node attaches no more volumes of a driver than its CSINode allows', () => {
  const csi = (volumeHandle: string): JsonObject => ({ csi: { driver: 'd', volumeHandle } });
  const storage = {
    claims: { 'default/data': bound, 'default/other': claimOf({ volumeName: 'pv-2' }, DONE) },
    volumes: { pv: volumeOf('pv', csi('1')), 'pv-2': volumeOf('pv-2', csi('2')) },
    csiNodes: {
      a: { spec: { drivers: [{ name: 'd', allocatable: { count: 1 } }] } },
      b: { spec: { drivers: [{ name: 'd', allocatable: { count: 0 } }] } },
    },
  };
  const cluster = clusterOf();
  expect(place(storage, uses(), { cluster })).toBe('a');
  addToNode(cluster, 'a', 'x', { spec: uses('other') });
  expect(place(storage, uses(), { cluster })).toContain('2 node(s) exceed max volume count.');
  expect(place(storage, uses('other'), { cluster })).toBe('a');
});

test('volumes, attachments and capacities are listed once for a pod, not for each node', () => {
  const storage = memoryStorage({
    claims: { 'default/data': late },
    classes: { late: { ...LATE, provisioner: 'example.com/disk' } },
    drivers: { 'example.com/disk': { spec: { storageCapacity: true } } },
    volumes: { pv: volumeOf('pv', { storageClassName: 'other' }) },
    csiNodes: Object.fromEntries(
      ['a', 'b'].map((name) => [
        name,
        { spec: { drivers: [{ name: 'example.com/disk', allocatable: { count: 1 } }] } },
      ]),
    ),
  });
  const lists = [
    vi.spyOn(storage, 'volumes'),
    vi.spyOn(storage, 'attachments'),
    vi.spyOn(storage, 'capacities'),
  ];
  const deps = placementDeps(clusterOf(), { storage });
  const placement = placePod(schedulerPod('new', { spec: uses() }), deps);
  expect(placement).toMatchObject({
    message: expect.stringContaining('2 node(s) did not have enough free storage.'),
  });
  for (const list of lists) expect(list).toHaveBeenCalledTimes(1);
});
