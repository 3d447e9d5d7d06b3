/**
 * Controllers whose process dies after every single write: each life makes one write, and the next life continues
 * from what is stored. Writes of the Lease and of Events do not count: a life that only renewed its Lease would be
 * none.
 */
import { expect, test } from 'vitest';
import type { ControllerName } from '../../../src/apiserver/controllers/controllers.ts';
import { objectsAt, textAt } from '../../../src/apiserver/objects/field-path.ts';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type {
  Change,
  ListOptions,
  ListPage,
  ObjectStore,
  StoredObject,
  StoreEvent,
} from '../../../src/ports/api/object-store.ts';
import type { LocalVolumes } from '../../../src/ports/local-volumes.ts';
import { MemoryVolumes } from '../../support/memory-volumes.ts';
import { PODS, WorkloadHarness } from './workload-harness.ts';

const APPS = '/apis/apps/v1/namespaces/default';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const LIVES_MAX = 200;
const FOREVER = new Promise<never>(() => {});

let seed = 1;

/** A store that a dying process uses: its first counted write is durable, but the process never hears of it. */
class DyingStore implements ObjectStore {
  readonly #store: ObjectStore;
  isDead = false;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  get revision(): number {
    return this.#store.revision;
  }

  get(key: string): StoredObject | undefined {
    return this.#store.get(key);
  }

  isStale(key: string): boolean {
    return this.#store.isStale(key);
  }

  list(prefix: string, options?: ListOptions): ListPage {
    return this.#store.list(prefix, options);
  }

  async commit(changes: readonly Change[]): Promise<number> {
    if (this.isDead) return FOREVER;
    if (!changes.some(({ key }) => isCounted(key))) return this.#store.commit(changes);
    this.isDead = true;
    await this.#store.commit(changes).catch((error: unknown) => {
      this.isDead = false; // refused, for example by a conflict: nothing was written
      throw error;
    });
    return FOREVER;
  }

  watch(prefix: string, after: number, listener: (event: StoreEvent) => void): () => void {
    return this.#store.watch(prefix, after, (event) => {
      if (!this.isDead) listener(event);
    });
  }

  compact(revision: number): void {
    this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

function isCounted(key: string): boolean {
  return !key.startsWith('/coordination.k8s.io/') && !key.includes('/events/');
}

/** Lives until one of them has nothing left to write. Returns how many there were. */
async function liveAndDie(
  cluster: WorkloadHarness,
  controller: ControllerName,
  localVolumes?: LocalVolumes,
): Promise<number> {
  for (let life = 1; life < LIVES_MAX; life++) {
    const store = new DyingStore(cluster.store);
    // UIDs come from chance, and no two lives have the same.
    seed += 1;
    const controllers = [controller];
    const more = localVolumes && { localVolumes };
    const process = new WorkloadHarness({ controllers, store, seed, ...more });
    process.start();
    for (let turn = 0; turn < 20 && !store.isDead; turn++) await process.clock.pass(10);
    await cluster.settle();
    if (store.isDead) continue;
    await process.stop();
    return life;
  }
  throw new Error(`not settled after ${LIVES_MAX} lives`);
}

const imagesOf = async (cluster: WorkloadHarness): Promise<readonly string[]> =>
  (await cluster.list(PODS)).map((pod) =>
    textAt(objectsAt(pod, 'spec.containers')[0] ?? {}, 'image'),
  );

const template = (image: string): JsonObject => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image }] },
});
const SELECTOR = { matchLabels: { app: 'a' } };

async function addNode(cluster: WorkloadHarness, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name };
  await cluster.make('/api/v1/nodes', name, { metadata: { labels } });
  const allocatable = { cpu: '4', memory: '8Gi', pods: '110' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { capacity: allocatable, allocatable, conditions };
  await cluster.patch(`/api/v1/nodes/${name}/status`, { status });
}

test('a StatefulSet has no pod and no claim too many', async () => {
  const cluster = await WorkloadHarness.open({ controllers: ['garbage-collector'] });
  const data = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
  await cluster.make(`${APPS}/statefulsets`, 'web', {
    spec: {
      replicas: 3,
      selector: SELECTOR,
      template: template('a:1'),
      volumeClaimTemplates: [data],
      persistentVolumeClaimRetentionPolicy: policy,
    },
  });
  // A revision, then for each pod a claim, the pod and the owner of the claim, and each status.
  expect(await liveAndDie(cluster, 'statefulset')).toBeGreaterThan(10);
  expect(cluster.created).toBe(3);
  const uids = async (): Promise<readonly string[]> =>
    (await cluster.list(CLAIMS)).map(
      (claim) => `${nameOf(claim)} ${textAt(claim, 'metadata.uid')}`,
    );
  const claims = await uids();
  expect(claims).toHaveLength(3);

  await cluster.patch(`${APPS}/statefulsets/web`, { spec: { template: template('a:2') } });
  expect(await liveAndDie(cluster, 'statefulset')).toBeGreaterThan(6);
  expect(cluster.created).toBe(6);
  expect(cluster.activeMax).toBe(3);
  expect(await imagesOf(cluster)).toEqual(['a:2', 'a:2', 'a:2']);
  expect(await uids()).toEqual(claims);
  expect(await cluster.list(`${APPS}/controllerrevisions`)).toHaveLength(2);

  await cluster.patch(`${APPS}/statefulsets/web`, { spec: { replicas: 1 } });
  await liveAndDie(cluster, 'statefulset');
  expect(await cluster.namesIn(CLAIMS)).toEqual(['data-web-0']);
  expect(await cluster.status(`${APPS}/statefulsets/web`)).toMatchObject({
    replicas: 1,
    readyReplicas: 1,
    updatedReplicas: 1,
  });
});

test('a DaemonSet has no pod too many', async () => {
  const cluster = await WorkloadHarness.open({
    controllers: ['garbage-collector', 'scheduler'],
    becomesReady: (pod) => textAt(pod, 'spec.nodeName') !== '',
  });
  for (const name of ['a', 'b', 'c']) await addNode(cluster, name);
  await cluster.make(`${APPS}/daemonsets`, 'agent', {
    spec: { selector: SELECTOR, template: template('a:1') },
  });
  expect(await liveAndDie(cluster, 'daemonset')).toBeGreaterThan(4);
  expect(cluster.created).toBe(3);

  await cluster.patch(`${APPS}/daemonsets/agent`, { spec: { template: template('a:2') } });
  expect(await liveAndDie(cluster, 'daemonset')).toBeGreaterThan(7);
  expect(cluster.created).toBe(6);
  expect(cluster.activeMax).toBe(3);
  expect(await imagesOf(cluster)).toEqual(['a:2', 'a:2', 'a:2']);
  expect(await cluster.list(`${APPS}/controllerrevisions`)).toHaveLength(2);
  expect(await cluster.status(`${APPS}/daemonsets/agent`)).toMatchObject({
    numberAvailable: 3,
    updatedNumberScheduled: 3,
  });
});

test('a claim has no volume and no folder too many, and nothing is left of it', async () => {
  const volumes = new MemoryVolumes('a');
  const cluster = await WorkloadHarness.open({
    controllers: ['garbage-collector', 'storage-protection', 'scheduler'],
    localVolumes: volumes,
    becomesReady: (pod) => textAt(pod, 'spec.nodeName') !== '',
  });
  await addNode(cluster, 'a');
  await cluster.make('/apis/storage.k8s.io/v1/storageclasses', 'standard', {
    provisioner: 'podkeep.dev/local',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  };
  for (const name of ['one', 'two']) {
    await cluster.make(CLAIMS, name, { spec: { ...spec, storageClassName: 'standard' } });
    const persistentVolumeClaim = { claimName: name };
    await cluster.make(PODS, name, {
      spec: {
        containers: [{ name: 'a', image: 'a:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim }],
      },
    });
  }
  await cluster.make(VOLUMES, 'by-hand', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/d' },
    },
  });
  for (const name of ['three', 'four']) await cluster.make(CLAIMS, name, { spec });
  await cluster.settle();
  // For each provisioned claim: its provisioner, the volume, both phases, both names.
  expect(await liveAndDie(cluster, 'persistentvolume-binder', volumes)).toBeGreaterThan(10);
  const bound = (await cluster.list(CLAIMS)).filter(
    (claim) => textAt(claim, 'status.phase') === 'Bound',
  );
  expect(bound).toHaveLength(3);
  expect(await cluster.list(VOLUMES)).toHaveLength(3);
  expect([volumes.made, volumes.folders.size]).toEqual([2, 2]);
  const nodes = (await cluster.list(PODS)).map((pod) => textAt(pod, 'spec.nodeName'));
  expect(nodes).toEqual(['a', 'a']);

  for (const name of ['one', 'two']) {
    await cluster.remove(`${PODS}/${name}`);
    await cluster.remove(`${CLAIMS}/${name}`);
  }
  await cluster.settle();
  expect(await liveAndDie(cluster, 'persistentvolume-binder', volumes)).toBeGreaterThan(4);
  expect(await cluster.namesIn(VOLUMES)).toEqual(['by-hand']);
  expect([volumes.made, volumes.folders.size]).toEqual([2, 0]);
});
