/**
 * The requests of a node while a hundred pods are created and deleted, counted by the API server.
 *
 * No status is read before it is written: the newest object is known from the watch, or from the
 * answer to the last write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isReady } from '../e2e/support/pod-view.ts';
import { countRequests, printCounts, readAuditLog, sizeOf } from './support/audit-log.ts';
import { harnessOf } from './support/cluster-harness.ts';
import { pod } from './support/workloads.ts';

const WAVES = 4;
const WAVE = 25;
const SETTLE_MS = 5_000;
const QUIET_MS = 20_000;

const harness = harnessOf('requests');

test('a hundred pods are created and deleted without a pod being read', async () => {
  // The requests of a node at its start are not counted.
  await harness.apply(pod({ name: 'first' }));
  await harness.ready('first');
  await harness.kubectl('delete pod first');
  const from = sizeOf(harness.plane.auditLog);
  for (let wave = 0; wave < WAVES; wave += 1) {
    const names = Array.from({ length: WAVE }, (_, index) => `wave-${wave}-${index}`);
    await harness.apply(...names.map((name) => pod({ name })));
    await harness.podsWhen(
      'default',
      `wave ${wave} to be ready`,
      (pods) => pods.length === WAVE && pods.every(isReady),
    );
    await harness.kubectl(['delete', 'pods', '--wait=false', ...names]);
    await harness.podsWhen('default', `wave ${wave} to be gone`, (pods) => pods.length === 0);
  }
  const entries = readAuditLog(harness.plane.auditLog, from);
  const counts = countRequests(entries);
  console.log(`requests of the node for ${WAVES * WAVE} pods:\n${printCounts(counts)}`);
  const refused = entries.filter(({ code }) => code >= 400);
  console.log(`of which refused:\n${printCounts(countRequests(refused))}`);
  const writes = counts.get('patch pods/{name}/status') ?? 0;
  // Each pod becomes ready, and finishes.
  expect(writes).toBeGreaterThanOrEqual(2 * WAVES * WAVE);
  expect(counts.get('get pods/{name}') ?? 0).toBe(0);
  expect(counts.get('list pods') ?? 0).toBe(0);
  expect(counts.get('delete pods/{name}')).toBe(WAVES * WAVE);
});

test('a node whose pods only run sends next to no requests', async () => {
  const names = Array.from({ length: WAVE }, (_, index) => `still-${index}`);
  const probe = { exec: { command: ['true'] }, periodSeconds: 2, timeoutSeconds: 10 };
  const probed = pod({ name: 'probed', container: { readinessProbe: probe } });
  await harness.apply(probed, ...names.map((name) => pod({ name })));
  await harness.podsWhen(
    'default',
    'all to be ready',
    (pods) => pods.length === WAVE + 1 && pods.every(isReady),
  );
  // The last status of the start.
  await sleep(SETTLE_MS);
  const from = sizeOf(harness.plane.auditLog);
  await sleep(QUIET_MS);
  const counts = countRequests(readAuditLog(harness.plane.auditLog, from));
  console.log(`requests of the node in ${QUIET_MS / 1000} quiet seconds:\n${printCounts(counts)}`);
  const { 'update leases/{name}': leases = 0, ...others } = Object.fromEntries(counts);
  // It renews its lease every ten seconds; a watch may end and begin again.
  expect(leases).toBeLessThanOrEqual(3);
  for (const what of Object.keys(others)) expect(what).toMatch(/^watch |^patch nodes/);
  await harness.kubectl(['delete', 'pods', 'probed', ...names]);
});
