import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { conditionsIn } from '../../../src/core/node/node-conditions.ts';
import { NODE_SETTINGS_DEFAULT } from '../../../src/core/node/node-settings.ts';
import type { NodeAgentOptions } from '../../../src/kubelet/node/node-agent.ts';
import { systemMachine } from '../../../src/platform/machine/system-machine.ts';
import { RECORDED_LEASE, RECORDED_NODE } from '../../support/node-parts.ts';
import { NodeStage, readyOf } from '../../support/node-stage.ts';
import { ClientStage } from './stage.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A node agent on an API server in memory. */
async function open(nodeName: string, options: Partial<NodeAgentOptions> = {}) {
  const stage = await ClientStage.open();
  await stage.server.send('POST', '/api/v1/namespaces', { metadata: { name: 'kube-node-lease' } });
  const node = new NodeStage();
  const agent = node.agent({
    api: stage.api,
    clock: stage.clock,
    startInformer: stage.startInformer,
    nodeName,
    settings: { ...NODE_SETTINGS_DEFAULT, evictionHard: {} },
    ...options,
  });
  agent.start();
  // No timer is needed for that, so it may take as long as it takes.
  await agent.registered;
  await stage.clock.pass(1000);
  const read = (path: string): Promise<JsonObject> => stage.api.send({ method: 'GET', path });
  return { stage, agent, node, read };
}

function keysOf(value: unknown, except: readonly string[] = []): readonly string[] {
  return Object.keys(value ?? {})
    .filter((key) => !except.includes(key))
    .toSorted();
}

async function settle(stage: ClientStage, isDone: () => boolean): Promise<void> {
  for (let n = 0; n < 2000 && !isDone(); n++) await stage.clock.pass(1);
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
    const { stage, agent, node, read } = await open('node2');
    node.reasons = ['container runtime is down'];
    agent.changed();
    await settle(stage, () => readyOf(agent.node())?.['status'] === 'False');
    expect(readyOf(await read('/api/v1/nodes/node2'))).toMatchObject({
      reason: 'KubeletNotReady',
      message: 'container runtime is down',
    });
    await stage.server.send(
      'PATCH',
      '/api/v1/nodes/node2',
      { spec: { unschedulable: true } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await settle(stage, () => {
      const { unschedulable } = (agent.node()?.['spec'] ?? {}) as JsonObject;
      return unschedulable === true;
    });
  });

  test('a Node that somebody deletes comes back, and so does its lease', async () => {
    const { stage, agent, read } = await open('node2');
    await stage.server.send('DELETE', `${LEASES}/node2`);
    const uidOf = (): unknown => (agent.node()?.['metadata'] as JsonObject | undefined)?.['uid'];
    const before = uidOf();
    await stage.server.send('DELETE', '/api/v1/nodes/node2');
    await settle(stage, () => uidOf() !== before && agent.node() !== null);
    expect(readyOf(await read('/api/v1/nodes/node2'))).toMatchObject({ status: 'True' });
    await stage.clock.pass(11_000);
    const lease = await read(`${LEASES}/node2`);
    expect(lease['metadata']).toMatchObject({ ownerReferences: [{ uid: uidOf() }] });
  });

  test('an hour of heartbeats is a lease every ten seconds and a status every five minutes', async () => {
    const { stage, read } = await open('node2');
    const versionOf = (one: JsonObject): number =>
      Number((one['metadata'] as JsonObject)['resourceVersion']);
    const start = versionOf(await read(`${LEASES}/node2`));
    await stage.clock.pass(3_600_000);
    const written = versionOf(await read(`${LEASES}/node2`)) - start;
    expect(written).toBeGreaterThan(350);
    expect(written).toBeLessThan(380);
  });
});
