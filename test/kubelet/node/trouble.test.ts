/** What pods see of failures around them: of the API server, the watch, the runtime. */
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/client/transport/transport.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { RuntimeFault, RuntimeFaults } from '../../../src/runtimes/simulated/faults.ts';
import { FaultyTransport } from '../client/faulty-transport.ts';
import {
  at,
  conditionOf,
  eventsAbout,
  isReady,
  openNode,
  podOf,
  runningPods,
  statusOf,
} from './node-test.ts';
import type { VirtualNode } from './virtual-node.ts';

/** A network that can fail. Open connections are cut then. */
class Cable {
  #isCut = false;
  readonly #open = new Set<AbortController>();

  readonly wrap = (inner: Transport): Transport => ({
    close: () => inner.close(),
    send: async (request, signal) => {
      if (this.#isCut) throw new Error('connection refused');
      const cut = new AbortController();
      this.#open.add(cut);
      return inner.send(request, AbortSignal.any([signal, cut.signal]));
    },
  });

  cut(): void {
    this.#isCut = true;
    this.hangUp();
  }

  /** Only the connections that are open now. */
  hangUp(): void {
    for (const one of this.#open) one.abort(new Error('connection reset'));
    this.#open.clear();
  }

  mend(): void {
    this.#isCut = false;
  }
}

class Faults {
  readonly now = new Map<string, RuntimeFault>();
  readonly ask: RuntimeFaults = (operation) => this.now.get(operation);
}

async function readyCondition(node: VirtualNode): Promise<Condition | undefined> {
  const found = await node.cluster.find(`/api/v1/nodes/${node.name}`);
  const { status } = found as unknown as { status: { conditions: readonly Condition[] } };
  return status.conditions.find(({ type }) => type === 'Ready');
}

async function readyReason(node: VirtualNode): Promise<string> {
  const ready = await readyCondition(node);
  return `${ready?.status} ${ready?.reason} ${ready?.message}`;
}

/** Another time than before: the node was not ready in between. */
async function readySince(node: VirtualNode): Promise<string | undefined> {
  return (await readyCondition(node))?.lastTransitionTime;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

test('while the API server is down for a minute, pods run on; missed changes are caught up', async () => {
  const cable = new Cable();
  const node = await openNode({ network: cable.wrap });
  for (const name of ['stays', 'goes', 'dies']) await node.cluster.createPod(podOf(name));
  await node.pass(5000);
  cable.cut();
  await node.cluster.createPod(podOf('comes'));
  await node.cluster.createPod(podOf('hurries'));
  await node.cluster.deletePod(at('hurries'), { gracePeriodSeconds: 0 });
  await node.cluster.deletePod(at('goes'));
  const dead = await node.cluster.findPod(at('dies'));
  node.machine.newest(dead?.metadata.uid ?? '', 'main')?.kill();
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['stays', 'goes', 'dies']);
  cable.mend();
  await node.pass(60_000);
  expect(runningPods(node).toSorted()).toEqual(['comes', 'dies', 'stays']);
  expect(await node.cluster.findPod(at('goes'))).toBeNull();
  for (const name of ['stays', 'comes', 'dies']) expect(await isReady(node, name)).toBe(true);
  expect((await statusOf(node, 'dies'))?.containerStatuses?.[0]?.restartCount).toBe(1);
  expect((await statusOf(node, 'stays'))?.containerStatuses?.[0]?.restartCount).toBe(0);
  expect(await readyReason(node)).toMatch(/^True KubeletReady/);
});

test('a watch that is cut misses nothing', async () => {
  const cable = new Cable();
  const node = await openNode({ network: cable.wrap });
  for (let turn = 0; turn < 5; turn += 1) {
    await node.cluster.createPod(podOf(`pod-${turn}`));
    cable.hangUp();
    if (turn > 0) await node.cluster.deletePod(at(`pod-${turn - 1}`));
    await node.pass(20_000);
  }
  expect(runningPods(node)).toEqual(['pod-4']);
  expect(node.cluster.seen.filter(({ type }) => type === 'DELETED')).toHaveLength(4);
});

test.for([1, 2, 3, 4, 5, 6])(
  'whatever the network does, pods reach their desired state in the end (seed %i)',
  async (seed) => {
    let network: FaultyTransport | undefined;
    const node = await openNode({
      seed,
      network: (inner) => {
        network = new FaultyTransport(inner, seededRandom(seed));
        network.isHealed = true;
        return network;
      },
    });
    if (network) network.isHealed = false;
    const random = seededRandom(seed + 100);
    for (let step = 0; step < 12; step += 1) {
      await node.cluster.createPod(podOf(`pod-${step}`));
      if (random.next() < 0.5) {
        const grace = random.next() < 0.3 ? { gracePeriodSeconds: 0 } : {};
        const victim = Math.floor(random.next() * (step + 1));
        await node.cluster.deletePod(at(`pod-${victim}`), grace).catch(() => {});
      }
      await node.pass(Math.floor(random.next() * 20_000));
    }
    expect(network?.faults).toBeGreaterThan(5);
    if (network) network.isHealed = true;
    await node.pass(200_000);
    const list = await node.cluster.send('GET', '/api/v1/namespaces/rec/pods');
    const left = (list['items'] as unknown as readonly { metadata: { name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
    expect(runningPods(node).toSorted()).toEqual(left.toSorted());
    for (const name of left) expect(await isReady(node, name), name).toBe(true);
  },
);

test('housekeeping that hangs in the list of the runtime delays no pod (F-20)', async () => {
  const faults = new Faults();
  const node = await openNode({ faults: faults.ask });
  faults.now.set('list', { hangs: true });
  await node.pass(10_000);
  await node.cluster.createPod(podOf('web'));
  await node.pass(1000);
  expect(await isReady(node, 'web')).toBe(true);
  await node.cluster.deletePod(at('web'));
  await node.pass(1000);
  expect(await node.cluster.findPod(at('web'))).toBeNull();
  expect(runningPods(node)).toEqual([]);
});

test('a runtime that does not answer makes the node not ready; afterwards pods start by themselves (KL-55)', async () => {
  const faults = new Faults();
  const node = await openNode({ faults: faults.ask });
  for (const operation of ['status', 'list', 'inspect', 'runSandbox']) {
    faults.now.set(operation, { error: 'connection refused' });
  }
  await node.cluster.createPod(podOf('web', { tolerations: [{ operator: 'Exists' }] }));
  await node.pass(60_000);
  expect(await readyReason(node)).toMatch(/^False KubeletNotReady .*container runtime is down/);
  expect(runningPods(node)).toEqual([]);
  faults.now.clear();
  await node.pass(60_000);
  expect(await isReady(node, 'web')).toBe(true);
  expect(await readyReason(node)).toMatch(/^True KubeletReady/);
});

test.each(['refuses connections', 'hangs'])(
  'a runtime that dies and %s makes the node not ready within ten seconds, and back (KL-108)',
  async (death) => {
    const faults = new Faults();
    const node = await openNode({ faults: faults.ask });
    // The death is right after a check, and the last one succeeded: the longest way.
    await node.pass(20_100);
    expect(await readyReason(node)).toMatch(/^True KubeletReady/);
    const fault = death === 'hangs' ? { hangs: true } : { error: 'connection refused' };
    for (const operation of ['status', 'list', 'inspect']) faults.now.set(operation, fault);
    await node.pass(10_000);
    expect(await readyReason(node)).toBe('False KubeletNotReady container runtime is down');
    faults.now.clear();
    // A call that hangs is given up after runtimeRequestTimeout.
    await node.pass(death === 'hangs' ? 130_000 : 3000);
    expect(await readyReason(node)).toMatch(/^True KubeletReady/);
  },
);

test('a restart of the runtime within five seconds leaves the node ready (KL-108)', async () => {
  const faults = new Faults();
  const node = await openNode({ faults: faults.ask });
  await node.pass(20_000);
  const since = await readySince(node);
  for (let restart = 0; restart < 8; restart++) {
    // Every phase of the checks: each outage begins 250 ms later than the one before.
    await node.pass(8250);
    for (const operation of ['status', 'list']) faults.now.set(operation, { error: 'refused' });
    await node.pass(5000);
    faults.now.clear();
  }
  await node.pass(10_000);
  expect(await readyReason(node)).toMatch(/^True KubeletReady/);
  expect(await readySince(node)).toBe(since);
});

test('without a network pods wait and report why; those of the host run; then the others start (KL-2)', async () => {
  let isNetworkReady = false;
  const node = await openNode({ isNetworkReady: () => isNetworkReady });
  const tolerations = [{ operator: 'Exists' }];
  await node.cluster.createPod(podOf('web', { tolerations }));
  await node.cluster.createPod(podOf('host', { tolerations, hostNetwork: true }));
  await node.pass(30_000);
  const reason =
    'container runtime network not ready: NetworkReady=false reason:NoNetwork message:no network yet';
  expect(await readyReason(node)).toBe(`False KubeletNotReady ${reason}`);
  expect(runningPods(node)).toEqual(['host']);
  expect(await eventsAbout(node, 'web')).toContain(
    `NetworkNotReady network is not ready: ${reason}`,
  );
  const { phase } = (await statusOf(node, 'web')) ?? {};
  expect(phase).toBe('Pending');
  isNetworkReady = true;
  await node.pass(15_000);
  expect(await isReady(node, 'web')).toBe(true);
  expect(await readyReason(node)).toMatch(/^True KubeletReady/);
});

test('without events of the runtime, exits are seen within seconds all the same (KL-85)', async () => {
  const node = await openNode({ hasEvents: false, scripts: () => ({ lifeMs: 5000, exitCode: 0 }) });
  await node.cluster.createPod(podOf('job', { restartPolicy: 'Never' }));
  await node.pass(8000);
  expect(await statusOf(node, 'job')).toMatchObject({ phase: 'Succeeded' });
  expect(conditionOf(await statusOf(node, 'job'), 'Ready')).toBe('False');
});
