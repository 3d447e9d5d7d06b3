/** podkeep is asked to stop, in the middle of its work: no container is left, or all of them are. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { mountsBelow } from './node-kill/leftovers.ts';
import { podOf, type Kind } from './node-kill/pods.ts';
import { isReady } from './node-kill/pod-view.ts';
import { TestCluster } from './node-kill/test-cluster.ts';
import { userOf, type Who } from './node-kill/users.ts';

const WHO = ['root', 'an ordinary user'] as const;
const TIMEOUT = { timeout: 300_000 };

async function makeCluster(who: Who, context: TestContext): Promise<TestCluster> {
  const program = await bundlePodkeep('node-stop');
  const cluster = await TestCluster.make({ program, ...userOf(who, context) });
  onTestFinished(() => cluster.remove());
  return cluster;
}

async function createPods(cluster: TestCluster, kinds: readonly Kind[]): Promise<void> {
  const plans = kinds.map((kind, index) => ({ name: `p${index}`, kind, lines: 3, code: 5 }));
  await Promise.all(plans.map((plan) => cluster.create(podOf(plan, cluster.ledger))));
}

function unready(cluster: TestCluster): () => Promise<readonly string[]> {
  return async () => {
    const pods = await cluster.pods();
    return pods
      .filter((pod) => !isReady(pod))
      .map(({ metadata }) => `${metadata.name} is not ready`);
  };
}

function missingRuns(cluster: TestCluster): readonly string[] {
  const count = cluster.readLedger().open().length;
  return count === LASTING.length ? [] : [`${count} containers run by their own word`];
}

/**
 * In a new sandbox init containers begin again: the old ones are removed with their logs, and so the
 * second one, which starts after that, counts from zero again (KL-40).
 */
function faultsOf(cluster: TestCluster): readonly string[] {
  return cluster.readLedger().faults.filter((fault) => !fault.endsWith('/second ran twice'));
}

const LASTING: readonly Kind[] = [
  'lasting',
  'hooked',
  'initialized',
  'lasting',
  'hooked',
  'lasting',
];

test.for(WHO)(
  'a stop while pods start leaves none running, and the next podkeep starts them again, run by %s',
  TIMEOUT,
  async (who, context) => {
    const cluster = await makeCluster(who, context);
    for (const waitMs of [0, 150, 400]) {
      const up = await cluster.up();
      if (waitMs === 0) await createPods(cluster, LASTING);
      await delay(waitMs);
      expect(await up.kill('SIGTERM'), up.given).toBe(0);
      // Immediately, without waiting for anything.
      expect(cluster.processes()).toEqual([]);
      // Each of them handled the signal, so none was killed.
      expect(cluster.readLedger().open()).toEqual([]);
      expect(faultsOf(cluster)).toEqual([]);
    }
    const up = await cluster.up();
    await cluster.settle(unready(cluster));
    // A container counts as running a moment before it writes its first line.
    await cluster.settle(() => missingRuns(cluster));
    expect(faultsOf(cluster)).toEqual([]);
    const pods = await cluster.pods();
    for (const { metadata } of pods) await cluster.delete(metadata.name);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await up.kill('SIGTERM'), up.given).toBe(0);
    await cluster.expectNothingLeft();
  },
);

test.for(WHO)(
  'with --keep-pods containers keep running, and the next podkeep adopts the same processes, run by %s',
  TIMEOUT,
  async (who, context) => {
    const cluster = await makeCluster(who, context);
    const first = await cluster.up('--keep-pods');
    await createPods(cluster, LASTING);
    await cluster.settle(unready(cluster));
    await cluster.settle(() => missingRuns(cluster));
    const inits = cluster.inits();
    expect(inits).toHaveLength(LASTING.length);
    expect(await first.kill('SIGTERM'), first.given).toBe(0);
    expect(cluster.inits()).toEqual(inits);

    const second = await cluster.up('--keep-pods');
    await cluster.settle(unready(cluster));
    expect(cluster.inits()).toEqual(inits);
    const pods = await cluster.pods();
    const counts = pods.map(({ status }) => status.containerStatuses?.[0]?.restartCount);
    expect(counts).toEqual(LASTING.map(() => 0));
    expect(cluster.readLedger().faults).toEqual([]);
    expect(cluster.readLedger().open()).toHaveLength(LASTING.length);
    for (const { metadata } of pods) await cluster.delete(metadata.name);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await second.kill('SIGTERM'), second.given).toBe(0);
    await cluster.expectNothingLeft();
    expect(cluster.readLedger().open()).toEqual([]);
  },
);

const SECRETS = '/api/v1/namespaces/default/secrets';
const VOLUMES = [
  { name: 'secret', secret: { secretName: 'door' } },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
  { name: 'disk', emptyDir: {} },
];

/** A pod whose volumes are in memory, as far as its user may mount, and one of which is bound in parts. */
async function createOwner(cluster: TestCluster): Promise<void> {
  const data = { key: Buffer.from('open').toString('base64') };
  const secret = { metadata: { name: 'door', namespace: 'default' }, data };
  const { code, text } = await cluster.client.send('POST', SECRETS, secret);
  expect(code, text).toBe(201);
  const pod = podOf({ name: 'keeper', kind: 'lasting', lines: 1, code: 0 }, cluster.ledger);
  const spec = pod['spec'] as { volumes: object[]; containers: { volumeMounts: object[] }[] };
  const mounts = VOLUMES.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const part = { name: 'disk', mountPath: '/part', subPath: 'part' };
  const containers = spec.containers.map((container) => ({
    ...container,
    volumeMounts: [...container.volumeMounts, ...mounts, part],
  }));
  const volumes = [...spec.volumes, ...VOLUMES];
  await cluster.create({ ...pod, spec: { ...spec, volumes, containers } } as JsonObject);
  await cluster.settle(unready(cluster));
}

test.for(WHO)(
  'a data folder can be deleted after a stop, and after podkeep down following a kill, run by %s',
  TIMEOUT,
  async (who, context) => {
    const cluster = await makeCluster(who, context);
    const stopped = await cluster.up();
    await createOwner(cluster);
    expect(await stopped.kill('SIGTERM'), stopped.given).toBe(0);
    expect(mountsBelow(cluster.data)).toEqual([]);

    const killed = await cluster.up();
    await cluster.settle(unready(cluster));
    await cluster.settle(() => (cluster.inits().length === 1 ? [] : ['the keeper does not run']));
    expect(await killed.kill('SIGKILL')).toBe('SIGKILL');
    const left = path.join(cluster.data, 'node', '.mount-probe-left');
    mkdirSync(left);
    const down = cluster.launch(['down', '--data-dir', cluster.data]);
    expect(await down.ended(), down.given).toBe(0);
    expect(mountsBelow(cluster.data)).toEqual([]);
    expect(existsSync(left)).toBe(false);
    expect(cluster.processes()).toEqual([]);
    cluster.emptyData();
    expect(readdirSync(cluster.data)).toEqual([]);
    await cluster.expectNothingLeft();
  },
);
