/** Deployments, ReplicaSets and ReplicationControllers by the embedded server alone. */
import { describe, expect, test } from 'vitest';
import { textAt } from '../../../src/apiserver/objects/field-path.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import {
  deploymentOf,
  DEPLOYMENTS,
  PODS,
  REPLICA_SETS,
  WorkloadHarness,
} from './workload-harness.ts';

const CONTROLLERS = [
  'deployment',
  'replicaset',
  'replicationcontroller',
  'garbage-collector',
  'resource-quota',
] as const;
const open = (becomesReady: (pod: JsonObject) => boolean = () => true): Promise<WorkloadHarness> =>
  WorkloadHarness.open({ controllers: CONTROLLERS, becomesReady });

const imagesOf = async (harness: WorkloadHarness): Promise<readonly string[]> =>
  (await harness.list(PODS)).map(
    (pod) => JSON.stringify(pod).match(/"image":"([^"]+)"/)?.[1] ?? '',
  );

const setImage = (harness: WorkloadHarness, image: string) =>
  harness.patch(`${DEPLOYMENTS}/web`, {
    spec: { template: { spec: { containers: [{ name: 'web', image }] } } },
  });

const progressOf = (status: JsonObject): string =>
  (status['conditions'] as JsonObject[])
    .filter(({ type }) => type === 'Progressing')
    .map((one) => `${textAt(one, 'status')} ${textAt(one, 'reason')}`)
    .join();

describe('a deployment', () => {
  test('has as many pods as it says, and reports them', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(3);
    expect(harness.created).toBe(3);
    const status = await harness.status(`${DEPLOYMENTS}/web`);
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    expect(progressOf(status)).toBe('True NewReplicaSetAvailable');
    const [set] = await harness.namesIn(REPLICA_SETS);
    expect(await harness.eventsOf('Deployment')).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${set} from 0 to 3`,
    ]);
  });

  test('rolls to a new image with at most one pod more and none less, and undoes it', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(harness.activeMax).toBe(4);
    expect(await harness.list(REPLICA_SETS)).toHaveLength(2);
    await setImage(harness, 'web:1');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web:1', 'web:1', 'web:1']);
    const sets = await harness.list(REPLICA_SETS);
    const revisions = sets.map(({ metadata }) => {
      const { annotations } = metadata as { annotations: Readonly<Record<string, string>> };
      const history = annotations['deployment.kubernetes.io/revision-history'] ?? 'none';
      return `${annotations['deployment.kubernetes.io/revision']} after ${history}`;
    });
    expect(revisions.toSorted()).toEqual(['2 after none', '3 after 1']);
  });

  test('stops a rollout whose pods do not become ready, and reports that at the deadline', async () => {
    const harness = await open((pod) => !JSON.stringify(pod).includes('web:broken'));
    await harness.make(DEPLOYMENTS, 'web', deploymentOf({ progressDeadlineSeconds: 60 }));
    await harness.settle();
    await setImage(harness, 'web:broken');
    await harness.settle();
    expect((await imagesOf(harness)).toSorted()).toEqual(['web:1', 'web:1', 'web:1', 'web:broken']);
    await harness.settle(62_000);
    const status = await harness.status(`${DEPLOYMENTS}/web`);
    expect(progressOf(status)).toBe('False ProgressDeadlineExceeded');
  });

  test('with Recreate never has pods of two templates', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf({ strategy: { type: 'Recreate' } }));
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web:2', 'web:2', 'web:2']);
    expect(harness.activeMax).toBe(3);
  });

  test('does not roll while it is paused, and is scaled all the same', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    await harness.patch(`${DEPLOYMENTS}/web`, { spec: { paused: true, replicas: 5 } });
    await setImage(harness, 'web:2');
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(Array(5).fill('web:1'));
    await harness.patch(`${DEPLOYMENTS}/web`, { spec: { paused: false } });
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(Array(5).fill('web:2'));
  });

  test('is scaled in proportion in the middle of a rollout', async () => {
    const harness = await open((pod) => !JSON.stringify(pod).includes('web:broken'));
    await harness.make(DEPLOYMENTS, 'web', deploymentOf({ replicas: 10 }));
    await harness.settle();
    await setImage(harness, 'web:broken');
    await harness.settle();
    await harness.patch(`${DEPLOYMENTS}/web`, { spec: { replicas: 20 } });
    await harness.settle();
    const images = await imagesOf(harness);
    expect(images).toHaveLength(25);
    expect(images.filter((one) => one === 'web:broken').length).toBe(10);
  });

  test('rolls back to the revision that the annotation names', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    await setImage(harness, 'web:2');
    await harness.settle();
    const annotations = { 'deprecated.deployment.rollback.to': '1' };
    await harness.patch(`${DEPLOYMENTS}/web`, { metadata: { annotations } });
    await harness.settle();
    expect(await imagesOf(harness)).toEqual(['web:1', 'web:1', 'web:1']);
    expect(await harness.eventsOf('Deployment')).toContain(
      'DeploymentRollback: Rolled back deployment "web" to revision 1',
    );
  });

  test('keeps as many old revisions as its limit says', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf({ revisionHistoryLimit: 1 }));
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await harness.settle();
      await setImage(harness, image);
    }
    await harness.settle();
    expect(await harness.list(REPLICA_SETS)).toHaveLength(2);
  });

  test('chooses another name when its hash is taken', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    const [name] = await harness.namesIn(REPLICA_SETS);
    await harness.remove(`${DEPLOYMENTS}/web`);
    await harness.settle();
    const { spec } = deploymentOf({ replicas: 0, selector: { matchLabels: { app: 'x' } } });
    const template = {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'x', image: 'x' }] },
    };
    await harness.make(REPLICA_SETS, name ?? '', { spec: { ...(spec as JsonObject), template } });
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle(1000);
    expect(await harness.status(`${DEPLOYMENTS}/web`)).toMatchObject({
      collisionCount: 1,
      readyReplicas: 3,
    });
  });

  test('takes its pods with it', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    await harness.remove(`${DEPLOYMENTS}/web`);
    await harness.settle();
    expect([...(await harness.namesIn(REPLICA_SETS)), ...(await harness.namesIn(PODS))]).toEqual(
      [],
    );
  });
});

describe('a replica set', () => {
  const SET = deploymentOf({ replicas: 2 });

  test('adopts pods that it selects, releases those that it does not, and replaces them', async () => {
    const harness = await open();
    const pod = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    await harness.make(PODS, 'stray', pod);
    await harness.make(REPLICA_SETS, 'web', SET);
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(2);
    expect(JSON.stringify((await harness.get(`${PODS}/stray`)).body)).toContain(
      '"kind":"ReplicaSet"',
    );
    await harness.patch(`${PODS}/stray`, { metadata: { labels: { app: 'other' } } });
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(3);
    expect((await harness.get(`${PODS}/stray`)).body.metadata['ownerReferences']).toBeUndefined();
  });

  test('replaces a deleted pod and deletes the youngest first', async () => {
    const harness = await open();
    await harness.make(REPLICA_SETS, 'web', SET);
    await harness.settle(600_000);
    const [victim, survivor] = await harness.namesIn(PODS);
    await harness.remove(`${PODS}/${victim}`);
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(2);
    await harness.patch(`${REPLICA_SETS}/web`, { spec: { replicas: 1 } });
    await harness.settle();
    expect(await harness.namesIn(PODS)).toEqual([survivor]);
  });

  test('reports why it cannot create pods', async () => {
    const harness = await open();
    const quota = { spec: { hard: { pods: '1' } } };
    await harness.make('/api/v1/namespaces/default/resourcequotas', 'small', quota);
    await harness.settle();
    await harness.make(REPLICA_SETS, 'web', SET);
    await harness.settle();
    expect(await harness.list(PODS)).toHaveLength(1);
    const { conditions } = await harness.status(`${REPLICA_SETS}/web`);
    expect(conditions).toMatchObject([{ type: 'ReplicaFailure', reason: 'FailedCreate' }]);
    expect((await harness.eventsOf('ReplicaSet')).join('\n')).toMatch(
      /FailedCreate: Error creating:/,
    );
  });

  test('counts a pod as available when it was ready for long enough', async () => {
    const harness = await open();
    await harness.make(REPLICA_SETS, 'web', deploymentOf({ replicas: 1, minReadySeconds: 30 }));
    await harness.settle();
    expect((await harness.status(`${REPLICA_SETS}/web`))['availableReplicas'] ?? 0).toBe(0);
    await harness.settle(31_000);
    expect(await harness.status(`${REPLICA_SETS}/web`)).toMatchObject({ availableReplicas: 1 });
  });
});

test('a replication controller has as many pods as it says', async () => {
  const harness = await open();
  const { spec } = deploymentOf({ replicas: 2, selector: { app: 'web' } });
  const path = '/api/v1/namespaces/default/replicationcontrollers';
  await harness.make(path, 'old', { spec: spec as JsonObject });
  await harness.settle();
  expect(await harness.list(PODS)).toHaveLength(2);
  expect(await harness.status(`${path}/old`)).toMatchObject({ replicas: 2, readyReplicas: 2 });
});

describe('the lease', () => {
  const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const held = { holderIdentity: 'host_1', leaseDurationSeconds: 15, renewTime: null };

  test('is held while workloads exist, with the same identity after a restart', async () => {
    const harness = await open();
    expect(await harness.namesIn(LEASE)).toEqual([]);
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    const [first] = await harness.list(LEASE);
    const again = new WorkloadHarness({ controllers: CONTROLLERS, store: harness.store });
    again.start();
    await again.settle();
    const [second] = await again.list(LEASE);
    expect(textAt(first ?? {}, 'spec.holderIdentity')).toMatch(/^podkeep_/);
    expect(textAt(second ?? {}, 'spec.holderIdentity')).toBe(
      textAt(first ?? {}, 'spec.holderIdentity'),
    );
    expect(harness.created).toBe(3);
  });

  test('of another controller manager is waited for, and its loss stops the controllers', async () => {
    const harness = await open();
    await harness.make(LEASE, 'kube-controller-manager', { spec: held });
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle(10_000);
    expect(await harness.list(REPLICA_SETS)).toEqual([]);
    await harness.settle(10_000);
    expect(await harness.list(PODS)).toHaveLength(3);
    await harness.patch(`${LEASE}/kube-controller-manager`, { spec: held });
    await harness.settle();
    await harness.patch(`${DEPLOYMENTS}/web`, { spec: { replicas: 7 } });
    await harness.settle(5000);
    expect(await harness.list(PODS)).toHaveLength(3);
  });

  test('is given up at the end', async () => {
    const harness = await open();
    await harness.make(DEPLOYMENTS, 'web', deploymentOf());
    await harness.settle();
    await harness.stop();
    const { body } = await harness.get(`${LEASE}/kube-controller-manager`);
    expect(textAt(body, 'spec.holderIdentity')).toBe('');
  });
});
