import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { conditionsIn } from '../../../src/core/node/node-conditions.ts';
import { NODE_SETTINGS_DEFAULT } from '../../../src/core/node/node-settings.ts';
import type { NodeAgentOptions } from '../../../src/kubelet/node/node-agent.ts';
import { systemMachine } from '../../../src/platform/machine/system-machine.ts';
import { RECORDED_LEASE, RECORDED_NODE } from '../../support/node-parts.ts';
import { NodeHarness, readyOf } from '../../support/node-harness.ts';
import { ClientHarness } from './client-harness.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A node agent on an API server in memory. */
async function open(nodeName: string, options: Partial<NodeAgentOptions> = {}) {
  const harness = await ClientHarness.open();
  await harness.server.send('POST', '/api/v1/namespaces', {
    metadata: { name: 'kube-node-lease' },
  });
  const node = new NodeHarness();
  const agent = node.agent({
    api: harness.api,
    clock: harness.clock,
    startInformer: harness.startInformer,
    nodeName,
    settings: { ...NODE_SETTINGS_DEFAULT, evictionHard: {} },
    ...options,
  });
  agent.start();
  // This needs no timer, so it may take any number of turns.
  await agent.registered;
  await harness.clock.pass(1000);
  const read = (path: string): Promise<JsonObject> => harness.api.send({ method: 'GET', path });
  return { harness, agent, node, read };
}

function keysOf(value: unknown, except: readonly string[] = []): readonly string[] {
  return Object.keys(value ?? {})
    .filter((key) => !except.includes(key))
    .toSorted();
}

async function settle(harness: ClientHarness, isDone: () => boolean): Promise<void> {
  for (let n = 0; n < 2000 && !isDone(); n++) await harness.clock.pass(1);
  expect(isDone()).toBe(true);
}

describe('a node and a whole API server', () => {
  test('the Node and the lease have what a real kubelet gives them', async () => {
    const thisMachine = { machine: systemMachine(), rootFolder: '/', addresses: [] };
    const { read } = await open('node2', thisMachine);
    const node = await read('/api/v1/nodes/node2');
    const [status, recorded] = [node['status'], RECORDED_NODE['status']] as JsonObject[];
    expect(keysOf(status)).toEqual(keysOf(recorded, ['declaredFeatures']));
    expect(keysOf(status?.['nodeInfo'], ['swap'])).toEqual(keysOf(recorded?.['nodeInfo']));
    const typesOf = (one: JsonObject | undefined) =>
      conditionsIn(one?.['conditions']).map(({ type, reason }) => [type, reason]);
    expect(typesOf(status)).toEqual(typesOf(recorded));
    const lease = await read(`${LEASES}/node2`);
    expect(keysOf(lease['metadata'], ['managedFields'])).toEqual(
      keysOf(RECORDED_LEASE['metadata']),
    );
    expect(keysOf(lease['spec'])).toEqual(keysOf(RECORDED_LEASE['spec']));
  });

  test('a node that exists already is taken over', async () => {
    const { read } = await open('node1');
    const node = await read('/api/v1/nodes/node1');
    expect(node['metadata']).toMatchObject({ labels: { 'kubernetes.io/hostname': 'node1' } });
    expect(readyOf(node)).toMatchObject({ status: 'True' });
  });

  test('changes of readiness arrive, and changes of others are seen', async () => {
    const { harness, agent, node, read } = await open('node2');
    node.reasons = ['container runtime is down'];
    agent.changed();
    await settle(harness, () => readyOf(agent.node())?.['status'] === 'False');
    expect(readyOf(await read('/api/v1/nodes/node2'))).toMatchObject({
      reason: 'KubeletNotReady',
      message: 'container runtime is down',
    });
    await harness.server.send(
      'PATCH',
      '/api/v1/nodes/node2',
      { spec: { unschedulable: true } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await settle(harness, () => {
      const { unschedulable } = (agent.node()?.['spec'] ?? {}) as JsonObject;
      return unschedulable === true;
    });
  });

  test('a deleted Node is created again, and so is its lease', async () => {
    const { harness, agent, read } = await open('node2');
    await harness.server.send('DELETE', `${LEASES}/node2`);
    const uidOf = (): unknown => (agent.node()?.['metadata'] as JsonObject | undefined)?.['uid'];
    const before = uidOf();
    await harness.server.send('DELETE', '/api/v1/nodes/node2');
    await settle(harness, () => uidOf() !== before && agent.node() !== null);
    expect(readyOf(await read('/api/v1/nodes/node2'))).toMatchObject({ status: 'True' });
    await harness.clock.pass(11_000);
    const lease = await read(`${LEASES}/node2`);
    expect(lease['metadata']).toMatchObject({ ownerReferences: [{ uid: uidOf() }] });
  });

  test('an hour of heartbeats is a lease every ten seconds and a status every five minutes', async () => {
    const { harness, read } = await open('node2');
    const versionOf = (one: JsonObject): number =>
      Number((one['metadata'] as JsonObject)['resourceVersion']);
    const start = versionOf(await read(`${LEASES}/node2`));
    await harness.clock.pass(3_600_000);
    const written = versionOf(await read(`${LEASES}/node2`)) - start;
    expect(written).toBeGreaterThan(350);
    expect(written).toBeLessThan(380);
  });
});
