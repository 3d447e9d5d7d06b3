/** StatefulSets by the embedded server alone. */
import { describe, expect, test } from 'vitest';
import { objectsAt, textAt, valueAt } from '../../../src/apiserver/objects/field-path.ts';
import { labelsOf } from '../../../src/apiserver/objects/object-labels.ts';
import { metadataOf, nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { PODS, WorkloadHarness } from './workload-harness.ts';

const CONTROLLERS = ['statefulset', 'garbage-collector'] as const;
const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const WEB = `${SETS}/web`;

const isBroken = (pod: JsonObject): boolean => JSON.stringify(pod).includes('web:broken');
const open = (becomesReady: (pod: JsonObject) => boolean = () => true): Promise<WorkloadHarness> =>
  WorkloadHarness.open({ controllers: CONTROLLERS, becomesReady });

const setOf = (fields: JsonObject = {}): JsonObject => ({
  spec: {
    replicas: 3,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    ...fields,
  },
});

const DATA = {
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};

const setImage = (harness: WorkloadHarness, image: string) =>
  harness.patch(WEB, { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } });

/** As `web-0=web:1`. */
const imagesOf = async (harness: WorkloadHarness): Promise<readonly string[]> =>
  (await harness.list(PODS))
    .map((pod) => `${nameOf(pod)}=${textAt(objectsAt(pod, 'spec.containers')[0] ?? {}, 'image')}`)
    .toSorted();

describe('a stateful set', () => {
  test('creates pods one after another, each with its name, labels and host name', async () => {
    let isHeld = true;
    const harness = await open((pod) => nameOf(pod) !== 'web-1' || !isHeld);
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1']);
    isHeld = false;
    await harness.send('DELETE', `${PODS}/web-1`);
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1', 'web-2']);
    const [, , pod = {}] = await harness.list(PODS);
    const revision = textAt(await harness.status(WEB), 'updateRevision');
    expect(labelsOf(pod)).toEqual({
      app: 'web',
      'apps.kubernetes.io/pod-index': '2',
      'controller-revision-hash': revision,
      'statefulset.kubernetes.io/pod-name': 'web-2',
    });
    expect([textAt(pod, 'spec.hostname'), textAt(pod, 'spec.subdomain')]).toEqual(['web-2', 'web']);
    expect(await harness.status(WEB)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    });
    expect(await harness.eventsOf('StatefulSet')).toContain(
      'SuccessfulCreate: Create Pod web-2 in StatefulSet web successful',
    );
  });

  test('with Parallel creates all pods at once', async () => {
    const harness = await open(() => false);
    await harness.make(SETS, 'web', setOf({ podManagementPolicy: 'Parallel' }));
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1', 'web-2']);
  });

  test('is scaled down from the highest ordinal, and starts at the ordinal that it names', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ ordinals: { start: 5 } }));
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-5', 'web-6', 'web-7']);
    await harness.patch(WEB, { spec: { replicas: 1 } });
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-5']);
    const deletions = (await harness.eventsOf('StatefulSet')).filter((one) =>
      one.startsWith('SuccessfulDelete'),
    );
    expect(deletions).toEqual([
      'SuccessfulDelete: Delete Pod web-7 in StatefulSet web successful',
      'SuccessfulDelete: Delete Pod web-6 in StatefulSet web successful',
    ]);
  });

  test('replaces pods that failed or succeeded', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    for (const [name, phase] of [
      ['web-0', 'Failed'],
      ['web-2', 'Succeeded'],
    ] as const) {
      await harness.patch(`${PODS}/${name}/status`, { status: { phase } });
    }
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1', 'web-2']);
    expect(harness.created).toBe(5);
    expect(await harness.status(WEB)).toMatchObject({ readyReplicas: 3 });
  });
});

describe('an update', () => {
  test('replaces pods from the highest ordinal, stops at one that is not ready, and is undone', async () => {
    const harness = await open((pod) => !isBroken(pod));
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:2', 'web-1=web:2', 'web-2=web:2']);
    await setImage(harness, 'web:broken');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:2', 'web-1=web:2', 'web-2=web:broken']);
    const during = await harness.status(WEB);
    expect(during).toMatchObject({ currentReplicas: 2, updatedReplicas: 1, readyReplicas: 2 });
    await setImage(harness, 'web:1');
    await harness.send('DELETE', `${PODS}/web-2`);
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:1', 'web-1=web:1', 'web-2=web:1']);
    const numbers = (await harness.list(REVISIONS)).map((one) => Number(one['revision']));
    // The revision of web:1 was the first, and is now the newest.
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4]);
    const { currentRevision, updateRevision } = await harness.status(WEB);
    expect(currentRevision).toBe(updateRevision);
  });

  test('leaves pods below the partition, and creates them from the current revision', async () => {
    const harness = await open();
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await harness.make(SETS, 'web', setOf({ updateStrategy }));
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    await harness.send('DELETE', `${PODS}/web-0`);
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:1', 'web-1=web:1', 'web-2=web:2']);
    await harness.patch(WEB, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:2', 'web-1=web:2', 'web-2=web:2']);
  });

  test('without parameters replaces each pod once', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ updateStrategy: { type: 'RollingUpdate' } }));
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:2', 'web-1=web:2', 'web-2=web:2']);
    expect(harness.created).toBe(6);
  });

  test('takes as many pods at a time as maxUnavailable allows', async () => {
    const harness = await open((pod) => !isBroken(pod));
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } };
    const podManagementPolicy = 'Parallel';
    await harness.make(SETS, 'web', setOf({ replicas: 5, updateStrategy, podManagementPolicy }));
    await harness.settle();
    await setImage(harness, 'web:broken');
    await harness.settle();
    expect((await imagesOf(harness)).filter((one) => one.endsWith('broken'))).toEqual([
      'web-3=web:broken',
      'web-4=web:broken',
    ]);
  });

  test('with OnDelete waits until a user deletes the pod', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ updateStrategy: { type: 'OnDelete' } }));
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(harness.created).toBe(3);
    await harness.send('DELETE', `${PODS}/web-1`);
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web-0=web:1', 'web-1=web:2', 'web-2=web:1']);
  });

  test('waits until a pod was ready for long enough', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ minReadySeconds: 30 }));
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0']);
    expect(await harness.status(WEB)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await harness.settle(31_000);
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1']);
  });

  test('keeps as many old revisions as its limit says', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ revisionHistoryLimit: 1 }));
    await harness.settle();
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await setImage(harness, image);
      await harness.settle();
    }
    const numbers = (await harness.list(REVISIONS)).map((one) => Number(one['revision']));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([3, 4]);
  });
});

describe('claims', () => {
  const ownersOf = async (harness: WorkloadHarness): Promise<readonly string[]> =>
    (await harness.list(CLAIMS)).map((claim) => {
      const owners = objectsAt(claim, 'metadata.ownerReferences').map((one) => textAt(one, 'kind'));
      return `${nameOf(claim)}: ${owners.join()}`;
    });

  test('are created before their pod, carry its labels and stay by default', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf(DATA));
    await harness.settle();
    await harness.patch(WEB, { spec: { replicas: 2 } });
    await harness.settle();
    expect(await ownersOf(harness)).toEqual(['data-web-0: ', 'data-web-1: ', 'data-web-2: ']);
    const [claim = {}] = await harness.list(CLAIMS);
    expect(labelsOf(claim)).toEqual({ app: 'web' });
    const [pod = {}] = await harness.list(PODS);
    expect(objectsAt(pod, 'spec.volumes')[0]).toMatchObject({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-0' },
    });
    const events = await harness.eventsOf('StatefulSet');
    expect(events.slice(0, 2)).toEqual([
      'SuccessfulCreate: Create Claim data-web-0 Pod web-0 in StatefulSet web success',
      'SuccessfulCreate: Create Pod web-0 in StatefulSet web successful',
    ]);
    await harness.remove(WEB);
    await harness.settle();
    expect(await harness.list(PODS)).toEqual([]);
    expect(await harness.list(CLAIMS)).toHaveLength(3);
  });

  test('go with the set, or with a pod that is scaled away, if the policy says so', async () => {
    const harness = await open();
    const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    const fields = { ...DATA, persistentVolumeClaimRetentionPolicy: policy };
    await harness.make(SETS, 'web', setOf(fields));
    await harness.settle();
    expect(await ownersOf(harness)).toEqual([
      'data-web-0: StatefulSet',
      'data-web-1: StatefulSet',
      'data-web-2: StatefulSet',
    ]);
    await harness.patch(WEB, { spec: { replicas: 1 } });
    await harness.settle();
    expect(await ownersOf(harness)).toEqual(['data-web-0: StatefulSet']);
    await harness.patch(WEB, {
      spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } },
    });
    await harness.settle();
    expect(await ownersOf(harness)).toEqual(['data-web-0: ']);
    await harness.patch(WEB, {
      spec: { replicas: 2, persistentVolumeClaimRetentionPolicy: policy },
    });
    await harness.settle();
    await harness.remove(WEB);
    await harness.settle();
    expect(await ownersOf(harness)).toEqual([]);
  });

  test('that are being deleted hold their pod back, and say so', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf({ ...DATA, replicas: 1 }));
    await harness.settle();
    const finalizers = ['example.com/hold'];
    await harness.patch(`${CLAIMS}/data-web-0`, { metadata: { finalizers } });
    await harness.send('DELETE', `${CLAIMS}/data-web-0`);
    await harness.send('DELETE', `${PODS}/web-0`);
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual([]);
    expect(await harness.eventsOf('StatefulSet')).toContain(
      'FailedCreate: Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted',
    );
    await harness.patch(`${CLAIMS}/data-web-0`, { metadata: { finalizers: [] } });
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0']);
    expect(await harness.namesIn(CLAIMS)).toEqual(['data-web-0']);
  });
});

describe('names and owners', () => {
  test('a foreign pod of the name is left alone; when it goes, the set continues', async () => {
    const harness = await open();
    const spec = { containers: [{ name: 'a', image: 'a' }] };
    await harness.make(PODS, 'web-0', { spec });
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0']);
    expect((await harness.eventsOf('StatefulSet')).join()).toContain('FailedCreate');
    await harness.send('DELETE', `${PODS}/web-0`);
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual(['web-0', 'web-1', 'web-2']);
  });

  test('pods and revisions that a deleted set left behind are adopted, and nothing is replaced', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    await harness.remove(WEB, { propagationPolicy: 'Orphan' });
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(3);
    const { metadata } = await harness.make(SETS, 'web', setOf());
    await harness.settle();
    for (const object of [...(await harness.list(PODS)), ...(await harness.list(REVISIONS))]) {
      expect(valueAt(object, 'metadata.ownerReferences')).toMatchObject([{ uid: metadata['uid'] }]);
    }
    expect(harness.created).toBe(3);
    expect(await harness.list(REVISIONS)).toHaveLength(1);
  });

  test('a revision name that another template has raises the collision count', async () => {
    const harness = await open();
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    const [revision = {}] = await harness.list(REVISIONS);
    await harness.remove(WEB);
    await harness.settle();
    const data = { spec: { template: { $patch: 'replace' } } };
    await harness.make(REVISIONS, nameOf(revision), { data, revision: 1 });
    await harness.make(SETS, 'web', setOf());
    await harness.settle();
    expect(await harness.status(WEB)).toMatchObject({ collisionCount: 1, readyReplicas: 3 });
    expect(
      metadataOf((await harness.get(`${REVISIONS}/${nameOf(revision)}`)).body),
    ).not.toHaveProperty('ownerReferences');
  });
});
