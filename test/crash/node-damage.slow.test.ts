/** podkeep restarts on a folder in which a file was truncated. It reports that, or repairs it. */
import { existsSync, readFileSync, rmSync, truncateSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { podOf } from './node-kill/pods.ts';
import { isReady, type PodView } from './node-kill/pod-view.ts';
import { TestCluster } from './node-kill/test-cluster.ts';
import { userOf, type Who } from './node-kill/users.ts';

const WHO = ['root', 'an ordinary user'] as const;
const TIMEOUT = { timeout: 300_000 };
const NAMES = ['a', 'b', 'c'];

/** Three pods that run, and a podkeep that was killed. */
async function makeKilled(who: Who, context: TestContext): Promise<[TestCluster, PodView[]]> {
  const program = await bundlePodkeep('node-damage');
  const cluster = await TestCluster.make({ program, ...userOf(who, context) });
  onTestFinished(() => cluster.remove());
  const up = await cluster.up();
  for (const name of NAMES) {
    await cluster.create(podOf({ name, kind: 'lasting', lines: 1, code: 1 }, cluster.ledger));
  }
  await cluster.settle(() => unready(cluster));
  const pods = await Promise.all(NAMES.map((name) => cluster.pod(name)));
  await up.kill('SIGKILL');
  return [cluster, pods];
}

async function unready(cluster: TestCluster): Promise<readonly string[]> {
  const pods = await cluster.pods();
  const ledger = cluster.readLedger();
  return pods.flatMap((pod) => {
    const { name, uid } = pod.metadata;
    const running = ledger.runs(uid, 'main').filter(({ endedAt }) => endedAt === undefined);
    if (!isReady(pod)) return [`${name} is not ready`];
    return running.length > 0 ? [] : [`${name} does not run`];
  });
}

function cutInHalf(file: string): void {
  truncateSync(file, Math.floor(statSync(file).size / 2));
}

test.for(WHO)(
  'a pod whose records were truncated is created again, and the others keep running, run by %s',
  TIMEOUT,
  async (who, context) => {
    const [cluster, [a, b, c]] = await makeKilled(who, context);
    const folder = path.join(cluster.data, 'node', 'runtime', 'pods');
    cutInHalf(path.join(folder, a?.metadata.uid ?? '', 'sandbox-0.json'));
    cutInHalf(path.join(folder, b?.metadata.uid ?? '', 'main-0', 'config.json'));
    const untouched = readFileSync(initFile(folder, c), 'utf8');

    const up = await cluster.up();
    await cluster.settle(async () => {
      const ledger = cluster.readLedger();
      const again = [a, b].filter((pod) => ledger.runs(pod?.metadata.uid ?? '', 'main').length < 2);
      return [
        ...(await unready(cluster)),
        ...again.map((pod) => `${pod?.metadata.name} is not new`),
      ];
    });
    // An unknown container was stopped before another replaced it.
    expect(cluster.inits()).toHaveLength(NAMES.length);
    expect(cluster.readLedger().faults).toEqual([]);
    expect(readFileSync(initFile(folder, c), 'utf8')).toBe(untouched);
    const counts = await Promise.all(
      NAMES.map(async (name) => restartCountOf(await cluster.pod(name))),
    );
    expect(counts).toEqual([1, 1, 0]);
    for (const name of NAMES) await cluster.delete(name);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await up.kill('SIGTERM'), up.given).toBe(0);
    await cluster.expectNothingLeft();
  },
);

test.for(WHO)(
  'allocations are not forgotten silently: podkeep reports which file is damaged, run by %s',
  TIMEOUT,
  async (who, context) => {
    const [cluster] = await makeKilled(who, context);
    const file = path.join(cluster.data, 'node', 'allocated_pods_state');
    cutInHalf(file);
    const inits = cluster.inits();

    // It ends: everything it started for the node is undone.
    const refused = cluster.launch();
    expect(await refused.ended(), refused.given).toBe(1);
    expect(refused.given).toContain('"code":"CHECKPOINT_UNUSABLE"');
    expect(refused.given).toContain('checkpoint is corrupted');
    expect(refused.given).toContain(file);
    expect(refused.given).toContain(`then delete ${file}`);
    expect(cluster.inits()).toEqual(inits);

    rmSync(file);
    const up = await cluster.up();
    await cluster.settle(() => unready(cluster));
    expect(cluster.inits()).toEqual(inits);
    await cluster.settle(() => (existsSync(file) ? [] : ['nothing is written down again']));
    expect(await up.kill('SIGTERM'), up.given).toBe(0);
    expect(cluster.readLedger().open()).toEqual([]);
  },
);

function initFile(folder: string, pod: PodView | undefined): string {
  return path.join(folder, pod?.metadata.uid ?? '', 'main-0', 'claim');
}

function restartCountOf({ status }: PodView): number | undefined {
  return status.containerStatuses?.[0]?.restartCount;
}
