/** Limits on local storage, on a whole node: pods that exceed them are evicted. */
import { expect, test } from 'vitest';
import { linesOf } from '../../../src/kubelet/metrics/metric-lines.ts';
import type { PodDiskUsage } from '../../../src/ports/pod/pod-disk-usage.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import {
  at,
  conditionOf,
  eventsAbout,
  openNode,
  podOf,
  runningPods,
  statusOf,
} from './node-test.ts';

const MiB = 2 ** 20;

/** Every volume of every pod has this size, and every log none. */
function diskOf(bytes: { now: number }): PodDiskUsage {
  return {
    measure: async (requests) =>
      requests.map(({ volumes }) => ({
        volumes: new Map(volumes.map(({ name }) => [name, bytes.now])),
        logs: new Map(),
        otherBytes: 0,
      })),
    isElsewhere: async () => false,
    stop: async () => {},
  };
}

const DATA = { volumes: [{ name: 'data', emptyDir: { sizeLimit: '10Mi' } }] };

function limited(limit: string) {
  const resources = { limits: { 'ephemeral-storage': limit } };
  return { containers: [{ name: 'main', image: 'busy:1', resources }] };
}

test('a pod whose emptyDir outgrows its sizeLimit is evicted, and others stay', async () => {
  const bytes = { now: 10 * MiB };
  const node = await openNode({ disk: diskOf(bytes) });
  await node.cluster.createPod(podOf('grows', DATA));
  await node.cluster.createPod(podOf('free', { volumes: [{ name: 'data', emptyDir: {} }] }));
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['grows', 'free']);
  bytes.now += 1;
  await node.pass(12_000);
  expect(runningPods(node)).toEqual(['free']);
  const message = 'Usage of EmptyDir volume "data" exceeds the limit "10Mi". ';
  const status = await statusOf(node, 'grows');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
  expect(status?.containerStatuses?.[0]?.state?.terminated).toBeDefined();
  expect(conditionOf(status, 'Ready')).toBe('False');
  expect(conditionOf(status, 'DisruptionTarget')).toBeUndefined();
  expect(await eventsAbout(node, 'grows')).toContain(`Evicted ${message}`);
  expect(linesOf(node.metrics, 'kubelet_evictions')).toEqual([
    '{eviction_signal="emptydirfs.limit"} 1',
  ]);
  expect(node.problems).toEqual([]);
});

test('an evicted pod gets a second to stop, and is not started again', async () => {
  const scripts = scriptsOf({
    containers: { main: { stop: 'ignored', writes: [{ afterMs: 15_000, bytes: 2 * MiB }] } },
  });
  const node = await openNode({ scripts });
  await node.cluster.createPod(
    podOf('writes', { ...limited('1Mi'), terminationGracePeriodSeconds: 600 }),
  );
  await node.pass(15_000);
  expect(await statusOf(node, 'writes')).toMatchObject({ phase: 'Running' });
  await node.pass(12_000);
  const status = await statusOf(node, 'writes');
  expect(status).toMatchObject({
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ',
    containerStatuses: [{ restartCount: 0, state: { terminated: { exitCode: 137 } } }],
  });
  await node.pass(600_000);
  expect(runningPods(node)).toEqual([]);
  const events = await eventsAbout(node, 'writes');
  expect(events.filter((event) => event.startsWith('Evicted'))).toHaveLength(1);
});

test('an eviction outlasts a restart of podkeep', async () => {
  const bytes = { now: 11 * MiB };
  const node = await openNode({ disk: diskOf(bytes) });
  await node.cluster.createPod(podOf('grows', DATA));
  await node.pass(25_000);
  await node.stop();
  await node.start();
  await node.pass(60_000);
  expect(await statusOf(node, 'grows')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  expect(runningPods(node)).toEqual([]);
});

test('a static pod stays, and the log names it once', async () => {
  const node = await openNode({ hasManifests: true, disk: diskOf({ now: 11 * MiB }) });
  const { nodeName: _none, ...spec } = podOf('fixed', DATA).spec;
  await node.setManifest('fixed.yaml', { ...podOf('fixed'), spec });
  await node.pass(60_000);
  expect(runningPods(node)).toEqual([`fixed-${node.name}`]);
  const spared = node.problems.filter((line) =>
    line.startsWith('Eviction manager: cannot evict a critical pod'),
  );
  expect(spared).toHaveLength(1);
});

test('without localStorageCapacityIsolation nothing is enforced', async () => {
  const node = await openNode({
    disk: diskOf({ now: 11 * MiB }),
    settings: { localStorageCapacityIsolation: false },
  });
  await node.cluster.createPod(podOf('grows', DATA));
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['grows']);
});

test('a runtime that does not report its usage causes no eviction', async () => {
  const scripts = scriptsOf({
    containers: { main: { writes: [{ afterMs: 0, bytes: 2 * MiB }] } },
  });
  const world = { isAway: true };
  const node = await openNode({
    scripts,
    faults: (operation) =>
      world.isAway && operation === 'containerStats' ? { error: 'not now' } : undefined,
  });
  await node.cluster.createPod(podOf('writes', limited('1Mi')));
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['writes']);
  world.isAway = false;
  await node.pass(12_000);
  expect(await statusOf(node, 'writes')).toMatchObject({ reason: 'Evicted' });
});

test('a pod that is deleted while it is above its limit stops within a second', async () => {
  const bytes = { now: 0 };
  const scripts = scriptsOf({ containers: { main: { stop: 'ignored' } } });
  const node = await openNode({ disk: diskOf(bytes), scripts });
  await node.cluster.createPod(podOf('grows', DATA));
  await node.pass(5000);
  await node.cluster.deletePod(at('grows'), { gracePeriodSeconds: 600 });
  await node.pass(1000);
  bytes.now = 11 * MiB;
  await node.pass(13_000);
  expect(await node.cluster.findPod(at('grows'))).toBeNull();
});
