/** podkeep is asked to stop, in the middle of its work: no container is left, or all of them are. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
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
      expect(await up.kill('SIGTERM'), up.said).toBe(0);
      // At once: whoever stops podkeep may look.
      expect(cluster.processes()).toEqual([]);
      // Each of them heeded the signal, so none was killed.
      expect(cluster.readLedger().open()).toEqual([]);
      expect(cluster.readLedger().faults).toEqual([]);
    }
    const up = await cluster.up();
    await cluster.settle(unready(cluster));
    // A container counts as running a moment before it writes its first line.
    await cluster.settle(() => missingRuns(cluster));
    expect(cluster.readLedger().faults).toEqual([]);
    const pods = await cluster.pods();
    for (const { metadata } of pods) await cluster.delete(metadata.name);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await up.kill('SIGTERM'), up.said).toBe(0);
    await cluster.expectNothingLeft();
  },
);

test.for(WHO)(
  'with --keep-pods containers go on, and the next podkeep adopts the same processes, run by %s',
  TIMEOUT,
  async (who, context) => {
    const cluster = await makeCluster(who, context);
    const first = await cluster.up('--keep-pods');
    await createPods(cluster, LASTING);
    await cluster.settle(unready(cluster));
    await cluster.settle(() => missingRuns(cluster));
    const inits = cluster.inits();
    expect(inits).toHaveLength(LASTING.length);
    expect(await first.kill('SIGTERM'), first.said).toBe(0);
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
    expect(await second.kill('SIGTERM'), second.said).toBe(0);
    await cluster.expectNothingLeft();
    expect(cluster.readLedger().open()).toEqual([]);
  },
);
