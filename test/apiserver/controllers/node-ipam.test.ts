/** Nodes get ranges of addresses for their pods. */
import { expect, test } from 'vitest';
import { readNodeCidrs } from '../../../src/apiserver/controllers/nodes/node-cidr-settings.ts';
import { textAt, valueAt } from '../../../src/apiserver/objects/field-path.ts';
import { nameOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { WorkloadHarness } from './workload-harness.ts';

const NODES = '/api/v1/nodes';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

function optionsFor(clusterCidr: string, nodeCidrMaskSize?: number) {
  const size = nodeCidrMaskSize === undefined ? {} : { nodeCidrMaskSize };
  const nodeCidrs = readNodeCidrs({ allocateNodeCidrs: true, clusterCidr, ...size }) ?? [];
  return { controllers: ['node-ipam' as const], nodeCidrs };
}

async function cidrs(harness: WorkloadHarness): Promise<JsonObject> {
  const nodes = await harness.list(NODES);
  return Object.fromEntries(
    nodes.map((node) => [nameOf(node), valueAt(node, 'spec.podCIDRs') ?? null]),
  );
}

async function makeNodes(harness: WorkloadHarness, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await harness.make(NODES, name);
    await harness.settle();
  }
}

test('every node has its own range, and one of each family', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.244.0.0/16,fd00:244::/56'));
  await makeNodes(harness, 'a', 'b');
  expect(await cidrs(harness)).toEqual({
    a: ['10.244.0.0/24', 'fd00:244::/64'],
    b: ['10.244.1.0/24', 'fd00:244:0:1::/64'],
  });
  expect(textAt((await harness.get(`${NODES}/b`)).body, 'spec.podCIDR')).toBe('10.244.1.0/24');
  await harness.stop();
});

test('a range that a node has already is kept, and given to no other node', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.244.0.0/16'));
  await harness.make(NODES, 'own', { spec: { podCIDR: '10.244.0.0/24' } });
  await harness.make(NODES, 'foreign', { spec: { podCIDR: '192.168.0.0/24' } });
  await makeNodes(harness, 'a');
  expect(await cidrs(harness)).toEqual({
    own: ['10.244.0.0/24'],
    foreign: ['192.168.0.0/24'],
    a: ['10.244.1.0/24'],
  });
  await harness.stop();
});

test('many nodes at once have distinct ranges', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.244.0.0/16'));
  const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => harness.make(NODES, name)));
  await harness.settle();
  const all = Object.values(await cidrs(harness)).map(String);
  expect(new Set(all).size).toBe(60);
  await harness.stop();
});

test('after a restart the ranges of all nodes are still theirs', async () => {
  const options = optionsFor('10.0.0.0/23');
  const first = await WorkloadHarness.open(options);
  await makeNodes(first, 'a');
  await first.stop();
  const second = await WorkloadHarness.resume({ ...options, store: first.store });
  await makeNodes(second, 'b', 'c');
  expect(await cidrs(second)).toEqual({ a: ['10.0.0.0/24'], b: ['10.0.1.0/24'], c: null });
  await second.stop();
});

test('a node without a range gets an Event, and the range of a node that is deleted', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.0.0.0/24', 24));
  await makeNodes(harness, 'a', 'b');
  expect(await cidrs(harness)).toEqual({ a: ['10.0.0.0/24'], b: null });
  expect(await harness.eventsOf('Node')).toEqual([
    'CIDRNotAvailable: Node b status is now: CIDRNotAvailable',
  ]);
  await harness.remove(`${NODES}/a`);
  await harness.settle();
  expect(await cidrs(harness)).toEqual({ b: ['10.0.0.0/24'] });
  await harness.stop();
});

test('addresses of Services are never those of pods', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.64.0.0/10', 12));
  await makeNodes(harness, 'a', 'b', 'c', 'd');
  expect(await cidrs(harness)).toEqual({
    a: ['10.64.0.0/12'],
    b: ['10.80.0.0/12'],
    c: ['10.112.0.0/12'],
    d: null,
  });
  await harness.stop();
});

test('without ranges nothing runs: no Lease is taken, and nodes stay as they are', async () => {
  const harness = await WorkloadHarness.open({ controllers: ['node-ipam'] });
  await makeNodes(harness, 'a');
  expect(await cidrs(harness)).toEqual({ a: null });
  expect(await harness.has(LEASE)).toBe(false);
  await harness.stop();
});

test('while another controller manager holds the Lease, no range is allocated', async () => {
  const harness = await WorkloadHarness.open(optionsFor('10.244.0.0/16'));
  const leases = LEASE.slice(0, LEASE.lastIndexOf('/'));
  await harness.make(leases, 'kube-controller-manager', {
    spec: { holderIdentity: 'other', leaseDurationSeconds: 3600 },
  });
  await makeNodes(harness, 'a');
  expect(await cidrs(harness)).toEqual({ a: null });
  await harness.patch(LEASE, { spec: { holderIdentity: '' } });
  await harness.settle();
  expect(await cidrs(harness)).toEqual({ a: ['10.244.0.0/24'] });
  await harness.stop();
});
