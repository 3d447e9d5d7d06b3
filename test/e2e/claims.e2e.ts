/** Claims of real pods: the default class, volumes that outlive their pods, and what is left of them in the end. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { PodCluster } from './support/pod-cluster.ts';
import { waitFor } from './support/patience.ts';
import { LIVE, shell, shellPod } from './support/pod-view.ts';

const WAIT_MS = 60_000;
const cluster = new PodCluster('claims');

beforeAll(() => cluster.start());
afterAll(() => cluster.remove());

const SPEC = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
const MOUNT = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };

const stateful = (replicas: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    replicas,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ ...shell('main', `echo $HOSTNAME >> /data/starts; ${LIVE}`), ...MOUNT }],
      },
    },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: SPEC }],
  },
});

const ROOT = path.join(cluster.data, 'node', 'persistent-volumes');
const folders = (): readonly string[] => (existsSync(ROOT) ? readdirSync(ROOT) : []);

test('the default class is there, and a claim waits for its first pod', async () => {
  const line = 'get storageclass standard -o jsonpath={.provisioner}/{.volumeBindingMode}';
  expect(await cluster.kubectl(line)).toBe('podkeep.dev/local/WaitForFirstConsumer');
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'early' } };
  await cluster.apply({ ...claim, spec: SPEC });
  await eventually('the Event of a claim that waits', async () => {
    const events = 'get events --field-selector involvedObject.name=early -o jsonpath={..reason}';
    expect(await cluster.kubectl(events)).toContain('WaitForFirstConsumer');
  });
  expect(await cluster.kubectl('get pvc early -o jsonpath={.status.phase}')).toBe('Pending');
  await cluster.kubectl('delete pvc early');
});

test('the data of a stateful set survives the deletion of its pod', async () => {
  await cluster.apply(stateful(2));
  await rolledOut();
  const read = 'exec db-0 -- cat /data/starts';
  expect(await cluster.kubectl(read)).toMatch(/^\S+\n$/);
  const bound = 'get pvc data-db-0 -o jsonpath={.status.phase}/{.status.capacity.storage}';
  expect(await cluster.kubectl(bound)).toBe('Bound/1Mi');
  expect(folders()).toHaveLength(2);
  // IDs on disk are those of the container, also where the pod has a user namespace.
  const user = Number(await cluster.kubectl('exec db-0 -- id -u'));
  const owners = folders().map((name) => statSync(path.join(ROOT, name, 'starts')).uid);
  expect(owners).toEqual([user, user]);
  await cluster.kubectl('delete pod db-0');
  await rolledOut();
  expect(await cluster.kubectl(read)).toMatch(/^\S+\n\S+\n$/);
  expect(folders()).toHaveLength(2);
});

test('the data outlives podkeep, and its folder goes with the claim', async () => {
  await restart();
  await eventually('a third start in the same folder', async () => {
    const starts = await cluster.kubectl('exec db-0 -- cat /data/starts');
    expect(starts).toMatch(/^\S+\n\S+\n\S+\n$/);
  });
  await cluster.kubectl('delete statefulset db');
  await eventually('claims, volumes and folders to be gone', async () => {
    expect(await cluster.kubectl('get pvc,pv -A -o name')).toBe('');
    expect(folders()).toEqual([]);
  });
});

test('an ephemeral volume lives as long as its pod', async () => {
  const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: SPEC } } }];
  const script = `echo here > /data/file; ${LIVE}`;
  await cluster.apply(shellPod({ name: 'scratch', script, container: MOUNT, spec: { volumes } }));
  await cluster.ready('scratch');
  expect(await cluster.kubectl('exec scratch -- cat /data/file')).toBe('here\n');
  expect(await cluster.kubectl('get pvc -o name')).toBe('persistentvolumeclaim/scratch-data\n');
  await cluster.kubectl('delete pod scratch');
  await eventually('its claim and its folder to be gone', async () => {
    expect(await cluster.kubectl('get pvc,pv -A -o name')).toBe('');
    expect(folders()).toEqual([]);
  });
});

test('a default class that was deleted stays deleted', async () => {
  await cluster.kubectl('delete storageclass standard');
  await restart();
  expect(await cluster.kubectl('get storageclasses -o name')).toBe('');
});

async function restart(): Promise<void> {
  await cluster.stop();
  await cluster.start();
}

async function rolledOut(): Promise<void> {
  await cluster.kubectl('rollout status statefulset/db --timeout=60s');
}

async function eventually(what: string, check: () => Promise<void>): Promise<void> {
  let problem = '';
  await waitFor({ what, deadlineMs: WAIT_MS, explain: () => problem }, async () => {
    try {
      await check();
      return true;
    } catch (error) {
      problem = String(error);
      return undefined;
    }
  });
}
