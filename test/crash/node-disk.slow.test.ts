/** The data folder fails while pods run: it is deleted, or the disk is full. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { logFaults } from './node-kill/logs.ts';
import { podOf, type Kind } from './node-kill/pods.ts';
import { isReady } from './node-kill/pod-view.ts';
import { TestCluster } from './node-kill/test-cluster.ts';
import { requireRoot, userOf, type Who } from './node-kill/users.ts';

const TIMEOUT = { timeout: 300_000 };
const DISK = 'size=64m,mode=755';
const FULL_MS = 3000;

async function makeCluster(who: Who, context: TestContext): Promise<TestCluster> {
  const program = await bundlePodkeep('node-disk');
  const cluster = await TestCluster.make({ program, ...userOf(who, context) });
  onTestFinished(() => cluster.remove());
  return cluster;
}

function podNamed(cluster: TestCluster, name: string, kind: Kind = 'lasting') {
  return podOf({ name, kind, lines: 10, code: 6 }, cluster.ledger);
}

async function unready(cluster: TestCluster, names: readonly string[]): Promise<readonly string[]> {
  const pods = await Promise.all(names.map((name) => cluster.pod(name)));
  return pods.filter((pod) => !isReady(pod)).map(({ metadata }) => `${metadata.name} is not ready`);
}

test.for([
  ['root', 'killed before'],
  ['root', 'still there'],
  ['an ordinary user', 'killed before'],
  ['an ordinary user', 'still there'],
] as const)(
  'containers end by themselves when the data folder is deleted, run by %s, podkeep is %s',
  TIMEOUT,
  async ([who, fate], context) => {
    const cluster = await makeCluster(who, context);
    const up = await cluster.up();
    for (const name of ['a', 'b', 'c']) await cluster.create(podNamed(cluster, name));
    await cluster.settle(() => unready(cluster, ['a', 'b', 'c']));
    if (fate === 'killed before') await up.kill('SIGKILL');
    expect(cluster.inits()).toHaveLength(3);
    cluster.unmount();
    // A process may still write into it.
    rmSync(cluster.data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await cluster.settle(() => cluster.processes().map((pid) => `process ${pid} runs`));
    // A podkeep that still runs cannot recover from it, but can be stopped.
    const end = await (fate === 'still there' ? up.kill('SIGTERM') : up.ended());
    expect(end, up.given).not.toBe('SIGTERM');
    await cluster.expectNothingLeft();
  },
);

test(
  'a full disk ends no pod, and new ones start when there is space',
  TIMEOUT,
  async (context) => {
    requireRoot(context);
    const cluster = await makeCluster('root', context);
    execFileSync('mkdir', ['-p', cluster.data]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', DISK, 'tmpfs', cluster.data]);
    const up = await cluster.up();
    const before = ['a', 'b'];
    for (const name of before) await cluster.create(podNamed(cluster, name));
    await cluster.create(podNamed(cluster, 'ending', 'ending'));
    await cluster.settle(() => unready(cluster, before));
    const inits = before.map(async (name) => cluster.inits((await cluster.pod(name)).metadata.uid));
    const known = await Promise.all(inits);

    const ballast = path.join(cluster.data, 'ballast');
    fill(ballast);
    // It may be accepted or refused; if it is accepted it has to wait.
    const { code } = await cluster.client.send(
      'POST',
      '/api/v1/namespaces/default/pods',
      podNamed(cluster, 'late'),
    );
    expect([201, 500, 503, 507]).toContain(code);
    await delay(FULL_MS);
    rmSync(ballast);

    if (code !== 201) await cluster.create(podNamed(cluster, 'late'));
    await cluster.settle(() => unready(cluster, [...before, 'late']));
    await cluster.settle(async () => {
      const { phase, containerStatuses } = (await cluster.pod('ending')).status;
      const exitCode = containerStatuses?.[0]?.state.terminated?.exitCode;
      return phase === 'Failed' && exitCode === 6 ? [] : [`${phase} ${exitCode}`];
    });
    const pods = await cluster.pods();
    const still = before.map(async (name) => cluster.inits((await cluster.pod(name)).metadata.uid));
    expect(await Promise.all(still)).toEqual(known);
    await cluster.settle(() =>
      pods.flatMap((pod) => logFaults(cluster.data, pod, cluster.readLedger())),
    );
    expect(cluster.readLedger().faults).toEqual([]);
    for (const { metadata } of pods) await cluster.delete(metadata.name);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await up.kill('SIGTERM'), up.given).toBe(0);
    await cluster.settle(() => cluster.processes().map((pid) => `process ${pid} runs`));
    expect(cluster.readLedger().open()).toEqual([]);
  },
);

/** To the last page. */
function fill(file: string): void {
  for (let bytes = 2 ** 20; bytes >= 4096; bytes /= 2) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // There is no space for so much; for less there may be.
    }
  }
}
