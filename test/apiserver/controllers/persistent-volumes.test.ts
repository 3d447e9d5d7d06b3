/** Claims and volumes by the embedded server alone: binding, provisioning, reclaiming, ephemeral volumes. */
import { describe, expect, test } from 'vitest';
import { LOCAL_PROVISIONER } from '../../../src/api/local-provisioner.ts';
import type { ControllerName } from '../../../src/apiserver/controllers/controllers.ts';
import { structAt, textAt, valueAt } from '../../../src/apiserver/objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { MemoryVolumes } from '../../support/memory-volumes.ts';
import { PODS, WorkloadHarness } from './workload-harness.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const CONTROLLERS: readonly ControllerName[] = [
  'persistentvolume-binder',
  'persistentvolume-expander',
  'ephemeral-volume',
  'storage-protection',
  'garbage-collector',
  'scheduler',
  'statefulset',
];

interface Opened {
  readonly harness: WorkloadHarness;
  readonly volumes: MemoryVolumes;
}

async function open(nodes: readonly string[] = ['a']): Promise<Opened> {
  const volumes = new MemoryVolumes();
  const harness = await WorkloadHarness.open({
    controllers: CONTROLLERS,
    localVolumes: volumes,
    becomesReady: (pod) => textAt(pod, 'spec.nodeName') !== '',
  });
  for (const name of nodes) await addNode(harness, name);
  await harness.settle();
  return { harness, volumes };
}

async function addNode(harness: WorkloadHarness, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name };
  await harness.make('/api/v1/nodes', name, { metadata: { labels } });
  const allocatable = { cpu: '4', memory: '8Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { capacity: allocatable, allocatable, conditions };
  await harness.patch(`/api/v1/nodes/${name}/status`, { status });
}

const addClass = (harness: WorkloadHarness, fields: JsonObject = {}) =>
  harness.make(CLASSES, 'standard', {
    provisioner: LOCAL_PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...fields,
  });

const claimOf = (spec: JsonObject = {}, size = '1Gi'): JsonObject => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...spec },
});
const volumeOf = (size: string, spec: JsonObject = {}): JsonObject => ({
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: size },
    hostPath: { path: '/somewhere' },
    ...spec,
  },
});
const podWith = (...volumes: readonly JsonObject[]): JsonObject => ({
  spec: { containers: [{ name: 'c', image: 'c' }], volumes: [...volumes] },
});
const uses = (claimName: string): JsonObject => ({
  name: 'data',
  persistentVolumeClaim: { claimName },
});
const phaseOf = async (harness: WorkloadHarness, path: string): Promise<string> =>
  textAt((await harness.get(path)).body, 'status.phase');
const eventsOf = async (harness: WorkloadHarness, kind = 'PersistentVolumeClaim') =>
  (await harness.eventsOf(kind)).map((event) => event.replaceAll(/pvc-[0-9a-f-]{36}/g, 'pvc-UID'));

describe('binding', () => {
  test('gives a claim the smallest volume that fits, and both sides name each other', async () => {
    const { harness } = await open();
    await harness.make(VOLUMES, 'large', volumeOf('5Gi'));
    await harness.make(VOLUMES, 'right', volumeOf('2Gi'));
    await harness.make(VOLUMES, 'small', volumeOf('500Mi'));
    await harness.settle();
    expect(await phaseOf(harness, `${VOLUMES}/large`)).toBe('Available');
    const claim = await harness.make(CLAIMS, 'data', claimOf());
    await harness.settle();
    const { body: bound } = await harness.get(`${CLAIMS}/data`);
    expect(textAt(bound, 'spec.volumeName')).toBe('right');
    expect(bound['status']).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
    });
    expect(metadataOf(bound)['annotations']).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    const { body: volume } = await harness.get(`${VOLUMES}/right`);
    expect(textAt(volume, 'status.phase')).toBe('Bound');
    expect(structAt(volume, 'spec.claimRef')).toMatchObject({
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'data',
      uid: textOf(claim.metadata['uid']),
    });
    expect(metadataOf(volume)['annotations']).toEqual({
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
  });

  test('waits with an Event for a volume, and takes one that comes later', async () => {
    const { harness } = await open();
    await harness.make(CLAIMS, 'data', claimOf());
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Pending');
    expect(await eventsOf(harness)).toEqual([
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ]);
    await harness.make(VOLUMES, 'late', volumeOf('1Gi'));
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Bound');
  });

  test('never gives one volume to two claims', async () => {
    const { harness } = await open();
    for (const name of ['a', 'b', 'c']) await harness.make(CLAIMS, name, claimOf());
    await harness.make(VOLUMES, 'first', volumeOf('1Gi'));
    await harness.make(VOLUMES, 'second', volumeOf('1Gi'));
    await harness.settle();
    const claims = await harness.list(CLAIMS);
    const names = claims.map((claim) => textAt(claim, 'spec.volumeName')).toSorted();
    expect(names).toEqual(['', 'first', 'second']);
  });

  test('respects what users have bound in advance, from either side', async () => {
    const { harness } = await open();
    const claimRef = { namespace: 'default', name: 'reserved' };
    await harness.make(VOLUMES, 'of-claim', volumeOf('1Gi', { claimRef }));
    await harness.make(VOLUMES, 'named', volumeOf('9Gi'));
    await harness.make(CLAIMS, 'other', claimOf({ volumeName: 'of-claim' }));
    await harness.make(CLAIMS, 'chooser', claimOf({ volumeName: 'named' }));
    await harness.settle();
    expect(await phaseOf(harness, `${VOLUMES}/of-claim`)).toBe('Available');
    expect(await phaseOf(harness, `${CLAIMS}/other`)).toBe('Pending');
    expect(await eventsOf(harness)).toContain(
      'FailedBinding: volume "of-claim" already bound to a different claim.',
    );
    const { body: chooser } = await harness.get(`${CLAIMS}/chooser`);
    expect(textAt(chooser, 'status.phase')).toBe('Bound');
    expect(metadataOf(chooser)['annotations']).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
    });
    await harness.make(CLAIMS, 'reserved', claimOf());
    await harness.settle();
    expect(textAt((await harness.get(`${CLAIMS}/reserved`)).body, 'spec.volumeName')).toBe(
      'of-claim',
    );
  });

  test('says why a volume that was asked for does not fit', async () => {
    const { harness } = await open();
    await harness.make(VOLUMES, 'tiny', volumeOf('1Mi'));
    await harness.make(CLAIMS, 'data', claimOf({ volumeName: 'tiny' }));
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Pending');
    expect(await eventsOf(harness)).toEqual([
      'VolumeMismatch: Cannot bind to requested volume "tiny": requested PV is too small',
    ]);
  });

  test('gives a claim without a class the default class that comes later', async () => {
    const { harness } = await open();
    await harness.make(CLAIMS, 'data', claimOf());
    await harness.make(CLAIMS, 'none', claimOf({ storageClassName: '' }));
    await harness.settle();
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    await addClass(harness, { metadata: { annotations } });
    await harness.settle();
    const classes = (await harness.list(CLAIMS)).map((claim) =>
      valueAt(claim, 'spec.storageClassName'),
    );
    expect(classes).toEqual(['standard', '']);
  });

  test('declares a claim lost whose volume is gone', async () => {
    const { harness } = await open();
    await harness.make(VOLUMES, 'v', volumeOf('1Gi'));
    await harness.make(CLAIMS, 'data', claimOf());
    await harness.settle();
    await harness.patch(`${VOLUMES}/v`, { metadata: { finalizers: null } });
    await harness.remove(`${VOLUMES}/v`);
    await harness.settle();
    // The finalizer that protects a bound volume was there again.
    await harness.patch(`${VOLUMES}/v`, { metadata: { finalizers: null } });
    await harness.settle();
    const { body } = await harness.get(`${CLAIMS}/data`);
    expect(body['status']).toEqual({ phase: 'Lost' });
    expect(await eventsOf(harness)).toContain(
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
  });
});

describe('a released volume', () => {
  async function release(policy: string, fields: JsonObject = {}): Promise<WorkloadHarness> {
    const { harness } = await open();
    const spec = { persistentVolumeReclaimPolicy: policy, ...fields };
    await harness.make(VOLUMES, 'v', volumeOf('1Gi', spec));
    await harness.make(CLAIMS, 'data', claimOf());
    await harness.settle();
    await harness.remove(`${CLAIMS}/data`);
    await harness.settle();
    return harness;
  }

  test('with Retain stays released, and is free again without its claimRef', async () => {
    const harness = await release('Retain');
    expect(await phaseOf(harness, `${VOLUMES}/v`)).toBe('Released');
    await harness.make(CLAIMS, 'data', claimOf());
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Pending');
    await harness.patch(`${VOLUMES}/v`, { spec: { claimRef: null } });
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Bound');
  });

  test('with Recycle fails with an Event', async () => {
    const harness = await release('Recycle');
    const { body } = await harness.get(`${VOLUMES}/v`);
    const message = 'No recycler plugin found for the volume!';
    expect(body['status']).toMatchObject({ phase: 'Failed', message });
    expect(await eventsOf(harness, 'PersistentVolume')).toEqual([
      `VolumeFailedRecycle: ${message}`,
    ]);
  });

  test('with Delete that no provisioner has created fails, and stays', async () => {
    const harness = await release('Delete');
    expect(await phaseOf(harness, `${VOLUMES}/v`)).toBe('Failed');
    expect(await eventsOf(harness, 'PersistentVolume')).toEqual([
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ]);
  });
});

describe('the local provisioner', () => {
  test('creates a volume on the node that the scheduler has selected, and the pod runs', async () => {
    const { harness, volumes } = await open(['b', 'a', 'c']);
    await addClass(harness);
    const claim = await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    expect(await eventsOf(harness)).toEqual([
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ]);
    expect(volumes.folders.size).toBe(0);
    await harness.make(PODS, 'p', podWith(uses('data')));
    await harness.settle();
    expect(textAt((await harness.get(`${PODS}/p`)).body, 'spec.nodeName')).toBe('a');
    const name = `pvc-${textOf(claim.metadata['uid'])}`;
    expect([...volumes.folders]).toEqual([`/volumes/${name}`]);
    const { body: volume } = await harness.get(`${VOLUMES}/${name}`);
    expect(textAt(volume, 'status.phase')).toBe('Bound');
    expect(structAt(volume, 'spec')).toMatchObject({
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
      local: { path: `/volumes/${name}` },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['a'] }],
            },
          ],
        },
      },
    });
    expect(metadataOf(volume)['annotations']).toMatchObject({
      'pv.kubernetes.io/provisioned-by': LOCAL_PROVISIONER,
    });
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Bound');
    expect(await eventsOf(harness)).toContain(
      `ProvisioningSucceeded: Successfully provisioned volume pvc-UID using ${LOCAL_PROVISIONER}`,
    );
  });

  test('provisions at once where the class does not wait for a pod', async () => {
    const { harness, volumes } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate' });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Bound');
    expect(volumes.folders.size).toBe(1);
    await harness.make(PODS, 'p', podWith(uses('data')));
    await harness.settle();
    expect(textAt((await harness.get(`${PODS}/p`)).body, 'spec.nodeName')).toBe('a');
  });

  test('lets the scheduler choose a free volume before a new one is provisioned', async () => {
    const { harness, volumes } = await open();
    await addClass(harness);
    await harness.make(VOLUMES, 'free', volumeOf('1Gi', { storageClassName: 'standard' }));
    await harness.settle();
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.make(PODS, 'p', podWith(uses('data')));
    await harness.settle();
    expect(textAt((await harness.get(`${CLAIMS}/data`)).body, 'spec.volumeName')).toBe('free');
    expect(volumes.made).toBe(0);
  });

  test('removes the folder of a deleted claim, but only when no pod uses it any more', async () => {
    const { harness, volumes } = await open();
    await addClass(harness);
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.make(PODS, 'p', podWith(uses('data')));
    await harness.settle();
    await harness.patch(`${CLAIMS}/data`, {
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
    });
    await harness.remove(`${CLAIMS}/data`);
    await harness.settle();
    expect(volumes.folders.size).toBe(1);
    await harness.remove(`${PODS}/p`);
    await harness.settle();
    expect(await harness.list(CLAIMS)).toEqual([]);
    expect(await harness.list(VOLUMES)).toEqual([]);
    expect(volumes.folders.size).toBe(0);
  });

  test('keeps the folder with Retain, also if the policy was changed later', async () => {
    const { harness, volumes } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate' });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    const [volume = {}] = await harness.list(VOLUMES);
    const path = `${VOLUMES}/${nameOf(volume)}`;
    await harness.patch(path, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
    await harness.remove(`${CLAIMS}/data`);
    await harness.settle();
    expect(await phaseOf(harness, path)).toBe('Released');
    await harness.remove(path);
    await harness.settle();
    expect(await harness.list(VOLUMES)).toEqual([]);
    expect(volumes.folders.size).toBe(1);
  });

  test('retries a folder that cannot be removed, and says why', async () => {
    const { harness, volumes } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate' });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    volumes.fault = 'the disk is on fire';
    await harness.remove(`${CLAIMS}/data`);
    await harness.settle();
    const [volume] = await harness.list(VOLUMES);
    expect(volume?.['status']).toMatchObject({ phase: 'Failed', message: 'the disk is on fire' });
    volumes.fault = null;
    await harness.settle(10_000);
    expect(await harness.list(VOLUMES)).toEqual([]);
    expect(volumes.folders.size).toBe(0);
  });

  test('gives a claim back to the scheduler whose node it does not have', async () => {
    const { harness, volumes } = await open(['a', 'b']);
    await addClass(harness);
    const annotations = { 'volume.kubernetes.io/selected-node': '../../etc' };
    await harness.make(CLAIMS, 'data', {
      metadata: { annotations },
      ...claimOf({ storageClassName: 'standard' }),
    });
    await harness.settle();
    const { body } = await harness.get(`${CLAIMS}/data`);
    expect(structAt(body, 'metadata.annotations')).not.toHaveProperty([
      'volume.kubernetes.io/selected-node',
    ]);
    expect((await eventsOf(harness))[0]).toContain(
      'ProvisioningFailed: Failed to provision volume',
    );
    expect(volumes.made).toBe(0);
  });

  test('tries again when the folder could not be created', async () => {
    const { harness, volumes } = await open();
    await addClass(harness);
    volumes.fault = 'No space left on device';
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.make(PODS, 'p', podWith(uses('data')));
    await harness.settle();
    expect(await eventsOf(harness)).toContain(
      'ProvisioningFailed: Failed to provision volume with StorageClass "standard": No space left on device',
    );
    volumes.fault = null;
    await harness.settle(60_000);
    expect(await phaseOf(harness, `${CLAIMS}/data`)).toBe('Bound');
  });

  test('refuses what a folder cannot be', async () => {
    const { harness, volumes } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate' });
    await harness.make(
      CLAIMS,
      'block',
      claimOf({ storageClassName: 'standard', volumeMode: 'Block' }),
    );
    await harness.settle();
    expect(await eventsOf(harness)).toContain(
      `ProvisioningFailed: ${LOCAL_PROVISIONER} does not support volumeMode Block`,
    );
    expect(volumes.made).toBe(0);
  });

  test('never removes a folder for a volume that it has not created', async () => {
    const { harness, volumes } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate' });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    const [own = {}] = await harness.list(VOLUMES);
    const path = textAt(own, 'spec.local.path');
    const gone = {
      namespace: 'default',
      name: 'gone',
      uid: 'b5a3a4a0-0000-4000-8000-000000000000',
    };
    const annotations = { 'pv.kubernetes.io/provisioned-by': LOCAL_PROVISIONER };
    const forged = (source: JsonObject): JsonObject => ({
      metadata: { annotations },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: gone,
        ...source,
      },
    });
    await harness.make(VOLUMES, 'forged-local', forged({ local: { path } }));
    await harness.make(VOLUMES, `pvc-${gone.uid}`, forged({ local: { path } }));
    await harness.make(VOLUMES, 'forged-host', forged({ hostPath: { path: '/etc' } }));
    await harness.settle();
    for (const name of ['forged-local', 'forged-host', `pvc-${gone.uid}`]) {
      expect(await phaseOf(harness, `${VOLUMES}/${name}`)).toBe('Failed');
    }
    expect([...volumes.folders]).toEqual([path]);
  });

  test('leaves other provisioners to others, and says that it waits for them', async () => {
    const { harness } = await open();
    await addClass(harness, { provisioner: 'example.com/disks', volumeBindingMode: 'Immediate' });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.make(CLAIMS, 'lost', claimOf({ storageClassName: 'missing' }));
    await harness.settle();
    const { body } = await harness.get(`${CLAIMS}/data`);
    expect(metadataOf(body)['annotations']).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/disks',
      'volume.kubernetes.io/storage-provisioner': 'example.com/disks',
    });
    const events = await eventsOf(harness);
    expect(events.join('\n')).toContain(
      "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/disks'",
    );
    expect(events).toContain('ProvisioningFailed: storageclass.storage.k8s.io "missing" not found');
  });
});

describe('expansion', () => {
  async function grow(allowVolumeExpansion: boolean) {
    const { harness } = await open();
    await addClass(harness, { volumeBindingMode: 'Immediate', allowVolumeExpansion });
    await harness.make(CLAIMS, 'data', claimOf({ storageClassName: 'standard' }));
    await harness.settle();
    const answer = await harness.patch(`${CLAIMS}/data`, {
      spec: { resources: { requests: { storage: '3Gi' } } },
    });
    await harness.settle();
    return { harness, answer };
  }

  test('makes volume and claim say the new size', async () => {
    const { harness } = await grow(true);
    const { body } = await harness.get(`${CLAIMS}/data`);
    expect(structAt(body, 'status.capacity')).toEqual({ storage: '3Gi' });
    const [volume = {}] = await harness.list(VOLUMES);
    expect(structAt(volume, 'spec.capacity')).toEqual({ storage: '3Gi' });
    expect(await eventsOf(harness)).toContain(
      'VolumeResizeSuccessful: ExpandVolume succeeded for volume default/data',
    );
  });

  test('is refused where the class does not allow it', async () => {
    const { answer } = await grow(false);
    expect(answer.code).toBe(403);
    expect(textAt(answer.body, 'message')).toContain(
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  });
});

describe('an ephemeral volume', () => {
  const scratch = {
    name: 'scratch',
    ephemeral: {
      volumeClaimTemplate: {
        metadata: { labels: { app: 'a' } },
        spec: { storageClassName: 'standard', ...structAt(claimOf(), 'spec') },
      },
    },
  };

  test('gets a claim that lives as long as the pod', async () => {
    const { harness, volumes } = await open();
    await addClass(harness);
    const pod = await harness.make(PODS, 'p', podWith(scratch));
    await harness.settle();
    const [claim = {}] = await harness.list(CLAIMS);
    expect(nameOf(claim)).toBe('p-scratch');
    expect(metadataOf(claim)).toMatchObject({
      labels: { app: 'a' },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'p',
          uid: textOf(pod.metadata['uid']),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(textAt((await harness.get(`${PODS}/p`)).body, 'spec.nodeName')).toBe('a');
    expect(volumes.folders.size).toBe(1);
    await harness.remove(`${PODS}/p`);
    await harness.settle();
    expect(await harness.list(CLAIMS)).toEqual([]);
    expect(volumes.folders.size).toBe(0);
  });

  test('does not get a claim of another, until that is gone', async () => {
    const { harness } = await open();
    await addClass(harness);
    await harness.make(CLAIMS, 'p-scratch', claimOf());
    await harness.make(PODS, 'p', podWith(scratch));
    await harness.settle();
    expect(await eventsOf(harness, 'Pod')).toContain(
      'FailedBinding: ephemeral volume scratch: PVC default/p-scratch was not created for pod default/p (pod is not owner)',
    );
    await harness.remove(`${CLAIMS}/p-scratch`);
    await harness.settle();
    expect(textAt((await harness.get(`${PODS}/p`)).body, 'spec.nodeName')).toBe('a');
  });
});

test('a stateful set with claims runs, and a replaced pod gets its volume again', async () => {
  const { harness, volumes } = await open();
  await addClass(harness);
  const template = {
    metadata: { name: 'data' },
    ...claimOf({ storageClassName: 'standard' }),
  };
  await harness.make(SETS, 'web', {
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, ...podWith() },
      volumeClaimTemplates: [template],
    },
  });
  await harness.settle(5000);
  expect(await harness.status(`${SETS}/web`)).toMatchObject({ readyReplicas: 3 });
  const folders = [...volumes.folders];
  expect(folders).toHaveLength(3);
  await harness.remove(`${PODS}/web-1`);
  await harness.settle(5000);
  expect(await harness.status(`${SETS}/web`)).toMatchObject({ readyReplicas: 3 });
  expect([...volumes.folders]).toEqual(folders);
});
