/**
 * The lease of a node while 1,000 pods of it come and go: `podkeep up` with simulated containers, in real
 * time, because what would delay a renewal is work that holds up the process.
 *
 * Bounds come from the lease itself. A cluster takes a node for lost when its lease was not renewed for its
 * whole duration (40 s), four times the interval between renewals, so a busy machine alone does not fail
 * this test. CHURN_SECONDS sets for how long pods come and go.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { KubeconfigClient, PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const PODS = 1000;
const NODE = 'leased';
const CHURN_MS = Number(process.env['CHURN_SECONDS'] ?? 45) * 1000;
const START_MS_MAX = 600_000;
const BATCH = 20;
const POLL_MS = 1000;
const PODS_PATH = '/api/v1/namespaces/default/pods';

interface Lease {
  readonly spec: { readonly renewTime: string; readonly leaseDurationSeconds: number };
}

function podOf(name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: NODE,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'simulated:1' }],
    },
  };
}

async function start(): Promise<KubeconfigClient> {
  const folder = makeTempFolder();
  const config = path.join(folder, 'config.yaml');
  const settings = { maxPods: 2 * PODS, evictionHard: {} };
  const kind = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  writeFileSync(config, JSON.stringify({ ...kind, ...settings }));
  const where = ['--data-dir', path.join(folder, 'data'), '--port', '0', '--name', NODE];
  const how = ['--runtime', 'simulated', '--config', config, '--output', 'json'];
  const up = new PodkeepUp([...where, ...how]);
  await up.event('node');
  return new KubeconfigClient(path.join(folder, 'data', 'kubeconfig'));
}

/** Some at a time: the server bounds what is under way. */
async function inBatches(
  names: readonly string[],
  act: (name: string) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < names.length; from += BATCH) {
    await Promise.all(names.slice(from, from + BATCH).map(act));
  }
}

test(
  'the lease is renewed in time while 1,000 pods come and go (KL-106)',
  { timeout: START_MS_MAX + 4 * CHURN_MS },
  async () => {
    const client = await start();
    const renewals: number[] = [];
    let durationSeconds = 0;
    const watching = { isOver: false };
    const watched = (async () => {
      while (!watching.isOver) {
        const where = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;
        const { code, body } = await client.send('GET', where);
        if (code === 200) {
          const { spec } = body as unknown as Lease;
          durationSeconds = spec.leaseDurationSeconds;
          const atMs = Date.parse(spec.renewTime);
          if (renewals.at(-1) !== atMs) renewals.push(atMs);
        }
        await delay(POLL_MS);
      }
    })();
    const create = async (name: string): Promise<void> => {
      let { code, text } = await client.send('POST', PODS_PATH, podOf(name));
      while (code === 429) {
        await delay(POLL_MS);
        ({ code, text } = await client.send('POST', PODS_PATH, podOf(name)));
      }
      expect(code, text).toBe(201);
    };
    await inBatches(
      Array.from({ length: PODS }, (_, index) => `pod-${index}`),
      create,
    );
    const running = async (): Promise<number> => {
      const { body } = await client.send('GET', `${PODS_PATH}?fieldSelector=status.phase=Running`);
      return (body['items'] as readonly unknown[]).length;
    };
    await expect.poll(running, { timeout: START_MS_MAX, interval: POLL_MS }).toBe(PODS);

    const begunMs = Date.now();
    let replaced = 0;
    for (let next = 0; Date.now() - begunMs < CHURN_MS; next = (next + BATCH) % PODS) {
      const names = Array.from({ length: BATCH }, (_, index) => next + index);
      await inBatches(
        names.map((index) => `pod-${index}`),
        async (name) => {
          await client.send('DELETE', `${PODS_PATH}/${name}?gracePeriodSeconds=0`);
          // Its successor comes under the same name, while what is left of it is cleaned up.
          await create(name);
          replaced += 1;
        },
      );
    }
    const churnedMs = Date.now() - begunMs;
    watching.isOver = true;
    await watched;

    const gaps = renewals.slice(1).map((atMs, index) => atMs - (renewals[index] ?? 0));
    const during = renewals.filter((atMs) => atMs >= begunMs);
    const found = `${replaced} pods replaced, gaps of ${gaps.join()} ms`;
    expect(durationSeconds).toBe(40);
    expect(Math.max(...gaps), found).toBeLessThan(durationSeconds * 1000);
    expect(during.length * durationSeconds * 1000, found).toBeGreaterThanOrEqual(churnedMs);
    expect(replaced, found).toBeGreaterThan(0);
    await expect.poll(running, { timeout: START_MS_MAX, interval: POLL_MS }).toBe(PODS);
    console.log(found);
  },
);
