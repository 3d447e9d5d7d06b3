/** Kubernetes' own controllers and scheduler place workloads on a podkeep node, and remove them. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { containerOf, isOver, isReady, type PodView } from '../e2e/support/pod-view.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { NODE, harnessOf } from './support/cluster-harness.ts';
import { daemonSet, deployment, job, pod } from './support/workloads.ts';

const harness = harnessOf('workloads');
const WAIT_MS = 60_000;

function ready(app: string, count: number): Promise<readonly PodView[]> {
  return harness.podsWhen(
    'default',
    `${count} pods of ${app} to be ready`,
    (pods) => pods.length === count && pods.every(isReady),
    `app=${app}`,
  );
}

test('a Deployment is scaled from one to twenty and to none', async () => {
  await harness.apply(deployment({ name: 'scaled', spec: { replicas: 1 } }));
  await ready('scaled', 1);
  await harness.kubectl('scale deployment/scaled --replicas=20');
  const pods = await ready('scaled', 20);
  expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(20);
  expect(pods.map((each) => containerOf(each)?.restartCount)).toEqual(pods.map(() => 0));
  await harness.kubectl('scale deployment/scaled --replicas=0');
  await ready('scaled', 0);
  await harness.kubectl('delete deployment scaled');
});

test('a Deployment rolls to its next version without ever having too few pods', async () => {
  const rolled = (version: string): JsonObject =>
    deployment({
      name: 'rolled',
      container: {
        env: [{ name: 'VERSION', value: version }],
        readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
      },
      spec: {
        replicas: 4,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
      },
    });
  await harness.apply(rolled('one'));
  const before = await ready('rolled', 4);
  await harness.apply(rolled('two'));
  let least = Number.POSITIVE_INFINITY;
  const isRolled = (pods: readonly PodView[]): boolean => {
    least = Math.min(least, pods.filter(isReady).length);
    return pods.length === 4 && pods.every((each) => isReady(each) && !isIn(before, each));
  };
  await harness.podsWhen('default', 'the Deployment to have rolled', isRolled, 'app=rolled');
  expect(least).toBeGreaterThanOrEqual(3);
  expect(await harness.kubectl('rollout status deployment/rolled')).toContain(
    'successfully rolled out',
  );
  await harness.kubectl('delete deployment rolled');
  await ready('rolled', 0);
});

test('a Job runs to completion, and its pods keep their logs', async () => {
  const script = 'echo done by $HOSTNAME; exit 0';
  await harness.apply(job({ name: 'worked', script, spec: { completions: 3, parallelism: 2 } }));
  await harness.kubectl('wait --for=condition=complete --timeout=60s job/worked');
  const pods = await harness.pods('default', 'job-name=worked');
  expect(pods.map(({ status }) => status.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
  expect(await harness.kubectl('logs job/worked')).toMatch(/^done by worked-/);
  await harness.kubectl('delete job worked');
});

test('a Job whose pods fail stops after its back-off limit', async () => {
  await harness.apply(job({ name: 'failed', script: 'exit 3', spec: { backoffLimit: 0 } }));
  await harness.kubectl('wait --for=condition=failed --timeout=60s job/failed');
  const [only] = await harness.pods('default', 'job-name=failed');
  expect(only && containerOf(only)?.state.terminated).toMatchObject({
    exitCode: 3,
    reason: 'Error',
  });
  await harness.kubectl('delete job failed');
});

test('a DaemonSet has its pod on the node', async () => {
  await harness.apply(daemonSet({ name: 'everywhere' }));
  const [only] = await ready('everywhere', 1);
  expect(only?.spec.nodeName).toBe(NODE);
  await harness.kubectl('delete daemonset everywhere');
  await ready('everywhere', 0);
});

test('the eviction API ends a pod, and its budget protects it', async () => {
  await harness.apply(pod({ name: 'guarded' }), {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'guarded', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
  });
  await harness.ready('guarded');
  await waitFor({ what: 'the budget to be counted', deadlineMs: WAIT_MS }, async () => {
    const budget = await harness.get(
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets/guarded',
    );
    const status = budget?.['status'] as { readonly currentHealthy?: number } | undefined;
    return status?.currentHealthy === 1 ? true : undefined;
  });
  expect(await evict('guarded')).toBe(429);
  await harness.kubectl('delete poddisruptionbudget guarded');
  expect(await evict('guarded')).toBe(201);
  await harness.gone('guarded');
});

test('kubectl drains the node, and pods come back when it is schedulable again', async () => {
  await harness.apply(
    deployment({ name: 'drained', spec: { replicas: 3 } }),
    daemonSet({ name: 'stays' }),
  );
  await ready('drained', 3);
  const [stays] = await ready('stays', 1);
  await harness.kubectl(`drain ${NODE} --ignore-daemonsets --delete-emptydir-data --timeout=60s`);
  const pods = await harness.pods('default', 'app=drained');
  expect(pods.filter(({ spec }) => spec.nodeName !== undefined)).toEqual([]);
  expect((await ready('stays', 1))[0]?.metadata.uid).toBe(stays?.metadata.uid);
  await harness.kubectl(`uncordon ${NODE}`);
  await ready('drained', 3);
  await harness.kubectl('delete deployment/drained daemonset/stays');
});

test('a namespace is deleted with everything in it', async () => {
  const namespace = 'leaving';
  await harness.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await harness.exists(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
  await harness.apply(deployment({ name: 'inside', namespace, spec: { replicas: 3 } }), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'words', namespace },
  });
  await harness.podsWhen(
    namespace,
    'pods of the namespace',
    (pods) => pods.filter(isReady).length === 3,
  );
  await harness.kubectl(`delete namespace ${namespace} --timeout=60s`);
  expect(await harness.get(`/api/v1/namespaces/${namespace}`)).toBeUndefined();
});

test('a static pod has a mirror, which comes back and goes with its manifest', async () => {
  const manifest = path.join(harness.node.manifests, 'static.json');
  writeFileSync(manifest, JSON.stringify(pod({ name: 'static' })));
  const mirror = await harness.ready(`static-${NODE}`);
  const hash = mirror.metadata.annotations?.['kubernetes.io/config.hash'];
  expect(hash).toBeTruthy();
  expect(mirror.metadata.annotations?.['kubernetes.io/config.mirror']).toBe(hash);
  const container = containerOf(mirror)?.containerID;
  await harness.kubectl(`delete pod static-${NODE} --wait=false`);
  const again = await harness.podWhen(
    `static-${NODE}`,
    'to be mirrored again',
    (next) => next.metadata.uid !== mirror.metadata.uid && isReady(next),
  );
  expect(containerOf(again)?.containerID).toBe(container);
  rmSync(manifest);
  await harness.gone(`static-${NODE}`);
});

test('the API server accepts the token that a pod finds in its files', async () => {
  await harness.apply(pod({ name: 'caller' }));
  await harness.ready('caller');
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
  const token = await harness.kubectl(`exec caller -- cat ${folder}/token`);
  const whoami = `--kubeconfig=/dev/null --server=${harness.plane.address}`;
  const ca = `--certificate-authority=${harness.plane.authority.pair.certificate}`;
  const given = await harness.kubectl(
    `auth whoami ${whoami} ${ca} --token=${token.trim()} -o json`,
  );
  const { userInfo } = (JSON.parse(given) as { status: { userInfo: JsonObject } }).status;
  expect(userInfo['username']).toBe('system:serviceaccount:default:default');
  expect(userInfo['extra']).toMatchObject({
    'authentication.kubernetes.io/pod-name': ['caller'],
    'authentication.kubernetes.io/node-name': [NODE],
  });
  expect(await harness.kubectl(`exec caller -- cat ${folder}/namespace`)).toBe('default');
  expect(await harness.kubectl(`exec caller -- cat ${folder}/ca.crt`)).toContain(
    'BEGIN CERTIFICATE',
  );
  await harness.kubectl('delete pod caller');
});

test('a finished pod keeps its phase and exit code', async () => {
  await harness.apply(pod({ name: 'brief', script: 'exit 4', pod: { restartPolicy: 'Never' } }));
  const over = await harness.podWhen('brief', 'to be over', isOver);
  expect(over.status.phase).toBe('Failed');
  expect(containerOf(over)?.state.terminated?.exitCode).toBe(4);
  await harness.kubectl('delete pod brief');
});

async function evict(name: string): Promise<number> {
  const where = `/api/v1/namespaces/default/pods/${name}/eviction`;
  const metadata = { name, namespace: 'default' };
  return harness.create(where, { apiVersion: 'policy/v1', kind: 'Eviction', metadata });
}

function isIn(pods: readonly PodView[], { metadata }: PodView): boolean {
  return pods.some((each) => each.metadata.uid === metadata.uid);
}
