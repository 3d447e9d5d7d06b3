/** Node pressure on a whole node: conditions, evictions in the kubelet's order, and admission. */
import { expect, test } from 'vitest';
import { parseEvictionSettings } from '../../../src/core/eviction/threshold-settings.ts';
import { linesOf } from '../../../src/kubelet/metrics/metric-lines.ts';
import type { MachineFacts } from '../../../src/ports/machine-facts.ts';
import type { PodDiskUsage } from '../../../src/ports/pod/pod-disk-usage.ts';
import type { ContainerScript } from '../../../src/runtimes/simulated/script.ts';
import {
  conditionOf,
  eventsAbout,
  NODE,
  openNode,
  podOf,
  runningPods,
  statusOf,
} from './node-test.ts';
import { simulatedMachine } from './simulated-machine.ts';
import type { VirtualNode } from './virtual-node.ts';

const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** What the machine has left: its memory less that of running pods, and its disk. */
class Shortage {
  node: VirtualNode | null = null;
  freeMemory = 8 * GiB;
  freeDisk = 90 * GiB;
  freePids = 20_000;
  readonly usedBy: Readonly<Record<string, number>>;

  constructor(usedBy: Readonly<Record<string, number>> = {}) {
    this.usedBy = usedBy;
  }

  readonly machine: MachineFacts = {
    ...simulatedMachine,
    usage: async () => ({
      memory: { capacity: 8 * GiB, available: this.#left(this.freeMemory) },
      pids: { capacity: 30_000, available: this.freePids },
    }),
    fileSystem: async () => ({
      bytes: { capacity: 100 * GiB, available: this.#left(this.freeDisk) },
      inodes: { capacity: 1_000_000, available: 900_000 },
    }),
  };

  readonly disk: PodDiskUsage = {
    measure: async (requests) =>
      requests.map(({ pod, volumes }) => ({
        volumes: new Map(volumes.map(({ name }) => [name, this.usedBy[pod.name] ?? 0])),
        logs: new Map([['main', 0]]),
        otherBytes: 0,
      })),
    isElsewhere: async () => false,
    stop: async () => {},
  };

  scripts = ({ podName }: { podName: string }): ContainerScript => ({
    memoryBytes: this.usedBy[podName] ?? 0,
  });

  #left(free: number): number {
    const running = this.node ? runningPods(this.node) : [];
    return free - running.reduce((sum, name) => sum + (this.usedBy[name] ?? 0), 0);
  }
}

function asking(memory: string) {
  return {
    containers: [{ name: 'main', image: 'busy:1', resources: { requests: { memory } } }],
  };
}

async function pressureOf(node: VirtualNode, type: string): Promise<string | undefined> {
  const found = await node.cluster.find(`/api/v1/nodes/${NODE}`);
  const { conditions } = (found?.['status'] ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions?.find((one) => one.type === type)?.status;
}

async function nodeEvents(node: VirtualNode): Promise<readonly string[]> {
  const events = (await node.cluster.events('default')) as unknown as readonly {
    readonly reason: string;
    readonly message: string;
  }[];
  return events.map(({ reason, message }) => `${reason} ${message}`);
}

test('short of memory, the pod most above its request goes; then the pressure ends', async () => {
  const shortage = new Shortage({ asks: 3 * GiB, takes: 3 * GiB, small: 100 * MiB });
  const node = await openNode({
    machineFacts: shortage.machine,
    scripts: shortage.scripts,
    eviction: {
      thresholds: parseEvictionSettings({ hard: { 'memory.available': '1Gi' } }),
      transitionMs: 60_000,
    },
  });
  await node.cluster.createPod(podOf('asks', asking('3Gi')));
  await node.cluster.createPod(podOf('takes', asking('1Gi')));
  await node.cluster.createPod(podOf('small', asking('10Mi')));
  await node.pass(5000);
  expect(runningPods(node)).toEqual(['asks', 'takes', 'small']);
  shortage.node = node;
  shortage.freeMemory = 7 * GiB;
  await node.pass(15_000);
  expect(runningPods(node)).toEqual(['asks', 'small']);
  const message =
    'The node was low on resource: memory. Threshold quantity: 1Gi, available: 924Mi. ' +
    'Container main was using 3Gi, request is 1Gi, has larger consumption of memory. ';
  const status = await statusOf(node, 'takes');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
  const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  expect(target).toMatchObject({ status: 'True', reason: 'TerminationByKubelet', message });
  expect(await eventsAbout(node, 'takes')).toContain(`Evicted ${message}`);
  expect(await nodeEvents(node)).toContain('EvictionThresholdMet Attempting to reclaim memory');
  expect(linesOf(node.metrics, 'kubelet_evictions')).toEqual([
    '{eviction_signal="memory.available"} 1',
  ]);
  expect(await pressureOf(node, 'MemoryPressure')).toBe('True');
  await node.pass(75_000);
  expect(await pressureOf(node, 'MemoryPressure')).toBe('False');
  expect(runningPods(node)).toEqual(['asks', 'small']);
});

test('the Event of an eviction has the facts as annotations', async () => {
  const shortage = new Shortage({ takes: 3 * GiB });
  const node = await openNode({
    machineFacts: shortage.machine,
    scripts: shortage.scripts,
    eviction: { thresholds: parseEvictionSettings({ hard: { 'memory.available': '1Gi' } }) },
  });
  await node.cluster.createPod(podOf('takes'));
  await node.pass(5000);
  shortage.freeMemory = MiB;
  await node.pass(15_000);
  const events = await node.cluster.events('rec');
  expect(events.find(({ reason }) => reason === 'Evicted')).toMatchObject({
    metadata: {
      annotations: {
        starved_resource: 'memory',
        offending_containers: 'main',
        offending_containers_usage: '3Gi',
      },
    },
  });
});

test('a soft threshold waits for its period, and gives the pod its time to stop', async () => {
  const shortage = new Shortage({ slow: GiB });
  const node = await openNode({
    machineFacts: shortage.machine,
    scripts: () => ({ memoryBytes: GiB, stop: 'ignored' }),
    eviction: {
      thresholds: parseEvictionSettings({
        hard: {},
        soft: { 'memory.available': '1Gi' },
        softGraceMs: { 'memory.available': 60_000 },
      }),
      maxPodGraceSeconds: 20,
    },
  });
  await node.cluster.createPod(podOf('slow', { terminationGracePeriodSeconds: 600 }));
  await node.pass(5000);
  shortage.freeMemory = MiB;
  await node.pass(60_000);
  expect(await pressureOf(node, 'MemoryPressure')).toBe('True');
  expect(await eventsAbout(node, 'slow')).not.toContainEqual(expect.stringMatching(/^Evicted/));
  await node.pass(10_000);
  expect(await eventsAbout(node, 'slow')).toContainEqual(expect.stringMatching(/^Evicted/));
  await node.pass(8000);
  expect(runningPods(node)).toEqual(['slow']);
  await node.pass(17_000);
  expect(runningPods(node)).toEqual([]);
});

test('pods go one at a time, each after the last one is gone', async () => {
  const shortage = new Shortage({ a: GiB, b: GiB, c: GiB });
  const node = await openNode({
    machineFacts: shortage.machine,
    scripts: (container) => ({ ...shortage.scripts(container), stop: { afterMs: 900 } }),
    eviction: { thresholds: parseEvictionSettings({ hard: { 'memory.available': '1Gi' } }) },
  });
  for (const name of ['a', 'b', 'c']) await node.cluster.createPod(podOf(name));
  await node.pass(5000);
  shortage.node = node;
  // Without pods there would be 3 GiB: the second eviction brings it above the threshold.
  shortage.freeMemory = 3 * GiB - MiB;
  const seen: number[] = [];
  for (let second = 0; second < 30; second += 1) {
    await node.pass(500);
    const { length } = runningPods(node);
    if (seen.at(-1) !== length) seen.push(length);
  }
  expect(seen).toEqual([3, 2, 1]);
});

test('short of disk, dead containers are removed first, then the pod that uses most goes', async () => {
  const shortage = new Shortage({ large: 40 * GiB, small: GiB });
  const node = await openNode({
    machineFacts: shortage.machine,
    disk: shortage.disk,
    scripts: ({ podName }) => (podName === 'done' ? { lifeMs: 100 } : {}),
    eviction: { thresholds: parseEvictionSettings({ hard: { 'nodefs.available': '10%' } }) },
  });
  const volumes = { volumes: [{ name: 'data', emptyDir: {} }] };
  await node.cluster.createPod(podOf('done', { restartPolicy: 'Never' }));
  await node.cluster.createPod(podOf('small', volumes));
  await node.cluster.createPod(podOf('large', volumes));
  await node.pass(5000);
  const hasDone = () =>
    node.machine.list().some(({ name, pod }) => name === 'done' && pod.containers.length > 0);
  expect(hasDone()).toBe(true);
  shortage.node = node;
  shortage.freeDisk = 45 * GiB;
  await node.pass(15_000);
  expect(hasDone()).toBe(false);
  expect(runningPods(node)).toEqual(['small']);
  expect((await statusOf(node, 'large'))?.message).toBe(
    'The node was low on resource: ephemeral-storage. Threshold quantity: 10737418400, available: 4Gi. ',
  );
});

test('short of process IDs, new pods are refused and static pods stay', async () => {
  const shortage = new Shortage();
  const node = await openNode({
    hasManifests: true,
    machineFacts: shortage.machine,
    eviction: { thresholds: parseEvictionSettings({ hard: { 'pid.available': '1k' } }) },
  });
  const { nodeName: _none, ...spec } = podOf('fixed').spec;
  await node.setManifest('fixed.yaml', { ...podOf('fixed'), spec });
  await node.pass(5000);
  shortage.freePids = 999;
  await node.pass(15_000);
  await node.cluster.createPod(podOf('late', asking('1Mi')));
  await node.pass(2000);
  expect(runningPods(node)).toEqual([`fixed-${node.name}`]);
  expect(await statusOf(node, 'late')).toMatchObject({
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Pod was rejected: The node had condition: [PIDPressure]. ',
  });
  await node.pass(30_000);
  const spared = node.problems.filter((line) => line.includes('cannot evict a critical pod'));
  expect(spared).toHaveLength(1);
});

test('a runtime that does not answer delays the eviction', async () => {
  const shortage = new Shortage({ takes: GiB });
  const world = { isAway: true };
  const node = await openNode({
    machineFacts: shortage.machine,
    scripts: shortage.scripts,
    faults: (operation) =>
      world.isAway && operation === 'containerStats' ? { error: 'not now' } : undefined,
    eviction: { thresholds: parseEvictionSettings({ hard: { 'memory.available': '1Gi' } }) },
  });
  await node.cluster.createPod(podOf('takes'));
  await node.pass(5000);
  shortage.freeMemory = MiB;
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['takes']);
  expect(await pressureOf(node, 'MemoryPressure')).toBe('True');
  world.isAway = false;
  await node.pass(15_000);
  expect(conditionOf(await statusOf(node, 'takes'), 'DisruptionTarget')).toBe('True');
});
