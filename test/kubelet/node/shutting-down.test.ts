/** A shutdown of the machine, on a whole node: pods end by priority, and their statuses are in the API. */
import { expect, test } from 'vitest';
import type { PodStatus } from '../../../src/api/pod.ts';
import { shutdownPeriods } from '../../../src/core/node-shutdown/shutdown-groups.ts';
import { linesOf } from '../../../src/kubelet/metrics/metric-lines.ts';
import type { ShutdownTimes } from '../../../src/kubelet/node-shutdown/shutdown-state.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { ShutdownInhibitor } from '../../../src/ports/shutdown-inhibitor.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
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
import type { VirtualNode, VirtualNodeOptions } from './virtual-node.ts';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const CLASSES = { low: 100, middle: 1000, high: 100_000 };
const PERIODS = shutdownPeriods({
  shutdownGracePeriodMs: 0,
  shutdownGracePeriodCriticalPodsMs: 0,
  shutdownGracePeriodByPodPriority: [
    { priority: 100_000, shutdownGracePeriodSeconds: 5 },
    { priority: 1000, shutdownGracePeriodSeconds: 10 },
    { priority: 0, shutdownGracePeriodSeconds: 20 },
  ],
});
/** Every hook takes three seconds. */
const HOOKED = scriptsOf({ containers: { main: { exec: () => ({ afterMs: 3000 }) } } });
const PRE_STOP = {
  containers: [
    { name: 'main', image: 'busy:1', lifecycle: { preStop: { exec: { command: ['save'] } } } },
  ],
};

/** logind, as the test moves it. */
class FakeInhibitor implements ShutdownInhibitor {
  readonly calls: string[] = [];
  isAway = false;
  isShuttingDown = false;
  #announced: (isShuttingDown: boolean) => void = () => {};
  #close: (reason: string) => void = () => {};

  async open(delaySeconds: number) {
    if (this.isAway) throw new Error('no bus');
    this.calls.push(`open ${delaySeconds}`);
    const closed = new Promise<string>((resolve) => (this.#close = resolve));
    return {
      closed,
      follow: (announced: (isShuttingDown: boolean) => void) => {
        this.#announced = announced;
        announced(this.isShuttingDown);
      },
      inhibit: async () => void this.calls.push('inhibit'),
      release: async () => void this.calls.push('release'),
      end: () => void this.calls.push('end'),
    };
  }

  announce(isShuttingDown: boolean): void {
    this.isShuttingDown = isShuttingDown;
    this.#announced(isShuttingDown);
  }

  close(): void {
    this.#close('the connection is closed');
  }
}

interface Harness {
  readonly node: VirtualNode;
  readonly logind: FakeInhibitor;
  readonly stored: ShutdownTimes[];
}

async function open(options: VirtualNodeOptions = {}): Promise<Harness> {
  const logind = new FakeInhibitor();
  const stored: ShutdownTimes[] = [];
  const state = {
    load: async () => stored.at(-1) ?? { startMs: null, endMs: null },
    store: async (times: ShutdownTimes) => void stored.push(times),
  };
  const node = await openNode({
    scripts: HOOKED,
    settings: { shutdownPeriods: PERIODS },
    shutdown: { inhibitor: logind, state },
    ...options,
  });
  const kind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };
  for (const [name, value] of Object.entries(CLASSES)) {
    const body = { ...kind, metadata: { name }, value };
    await node.cluster.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', body);
  }
  await node.pass(100);
  return { node, logind, stored };
}

async function run(node: VirtualNode, name: string, spec: JsonObject = {}): Promise<void> {
  await node.cluster.createPod(podOf(name, { ...PRE_STOP, ...spec }));
}

/** When the API first had the pod as ended, since the test began. */
function endedAtMs(node: VirtualNode, name: string): number {
  const seen = node.cluster.seen.find(
    ({ pod }) => pod.metadata.name === name && pod.status?.phase === 'Failed',
  );
  return seen?.atMs ?? Number.NaN;
}

function metricOf(node: VirtualNode, which: 'start' | 'end'): number {
  return Number(linesOf(node.metrics, `kubelet_graceful_shutdown_${which}_time_seconds`)[0]);
}

async function nodeConditions(node: VirtualNode): Promise<PodStatus | null> {
  const object = await node.cluster.send('GET', `/api/v1/nodes/${node.name}`);
  return object['status'] as unknown as PodStatus;
}

test('twenty pods with preStop hooks end by priority, and the lock is held until the API knows it', async () => {
  const { node, logind, stored } = await open();
  const classes = [undefined, 'low', 'middle', 'high'];
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  for (const [index, name] of names.entries()) {
    const priorityClassName = classes[index % 4];
    await run(node, name, priorityClassName === undefined ? {} : { priorityClassName });
  }
  await node.pass(10_000);
  expect(runningPods(node)).toHaveLength(20);
  expect(logind.calls).toEqual(['open 35']);
  const startMs = node.clock.monotonic();
  logind.announce(true);
  await node.pass(2000);
  expect(runningPods(node)).toHaveLength(20);
  expect(logind.calls).toEqual(['open 35']);
  await node.pass(13_000);
  expect(logind.calls).toEqual(['open 35', 'release']);
  expect(runningPods(node)).toEqual([]);
  for (const name of names) {
    const status = await statusOf(node, name);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message: MESSAGE,
      }),
    );
    expect(status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 143 } },
    });
  }
  const groups = [[0, 1], [2], [3]].map((own) =>
    names.filter((_, index) => own.includes(index % 4)).map((name) => endedAtMs(node, name)),
  );
  // Each group takes one hook, and the next begins only then.
  const [first = [], second = [], third = []] = groups.map((times) =>
    times.map((ms) => ms - startMs),
  );
  expect(Math.min(...first)).toBeGreaterThanOrEqual(3000);
  expect(Math.min(...second)).toBeGreaterThanOrEqual(Math.max(...first) + 3000 - 500);
  expect(Math.min(...third)).toBeGreaterThanOrEqual(Math.max(...second) + 3000 - 500);
  expect(Math.max(...third)).toBeLessThan(15_000);
  expect(stored).toHaveLength(2);
  expect(stored[1]?.endMs).toBeGreaterThan(stored[1]?.startMs ?? Number.NaN);
  expect([metricOf(node, 'start'), metricOf(node, 'end')]).toEqual([
    Math.floor((stored[1]?.startMs ?? 0) / 1000),
    Math.floor((stored[1]?.endMs ?? 0) / 1000),
  ]);
  // The next podkeep reports it, too.
  logind.isShuttingDown = false;
  await node.stop();
  await node.start();
  await node.pass(2000);
  expect(metricOf(node, 'end')).toBe(Math.floor((stored[1]?.endMs ?? 0) / 1000));
});

test('a node that shuts down is not ready, and admits no pod', async () => {
  const { node, logind } = await open();
  await run(node, 'old');
  await node.pass(3000);
  logind.announce(true);
  await node.pass(1000);
  const { conditions = [] } = (await nodeConditions(node)) ?? {};
  expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'node is shutting down',
  });
  await run(node, 'new');
  await node.pass(1000);
  expect(await statusOf(node, 'new')).toMatchObject({
    phase: 'Failed',
    reason: 'NodeShutdown',
    message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
  });
  expect(await eventsAbout(node, 'new')).toContain(
    'NodeShutdown Pod was rejected as the node is shutting down.',
  );
  expect(linesOf(node.metrics, 'kubelet_admission_rejections_total')).toEqual([
    '{reason="NodeShutdown"} 1',
  ]);
  expect(await node.cluster.events('default')).toContainEqual(
    expect.objectContaining({
      reason: 'Shutdown',
      message: 'Shutdown manager detected shutdown event',
    }),
  );
});

test('a pod that ignores its stop gets no more time than its group', async () => {
  const scripts = scriptsOf({ containers: { main: { stop: 'ignored' } } });
  const { node, logind } = await open({ scripts });
  const spec = { terminationGracePeriodSeconds: 600, priorityClassName: 'high' };
  await run(node, 'slow', { ...podOf('slow').spec, ...spec });
  await run(node, 'short', { ...podOf('short').spec, ...spec, terminationGracePeriodSeconds: 1 });
  await node.pass(3000);
  logind.announce(true);
  await node.pass(2000);
  expect(runningPods(node)).toEqual(['slow']);
  expect(logind.calls).toEqual(['open 35']);
  await node.pass(4500);
  expect(logind.calls).toEqual(['open 35', 'release']);
  const status = await statusOf(node, 'slow');
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
  expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
});

test('a group that does not end in time does not keep the next one from ending', async () => {
  const world = { isSlow: false };
  const { node, logind } = await open({
    faults: (operation) =>
      world.isSlow && operation === 'stopContainer' ? { delayMs: 60_000 } : undefined,
  });
  await run(node, 'stuck');
  await run(node, 'critical', { priorityClassName: 'high' });
  await node.pass(3000);
  world.isSlow = true;
  logind.announce(true);
  await node.pass(19_000);
  expect(runningPods(node)).toEqual(['stuck', 'critical']);
  world.isSlow = false;
  await node.pass(6000);
  expect(runningPods(node)).toEqual(['stuck']);
  expect(await statusOf(node, 'critical')).toMatchObject({ reason: 'Terminated' });
  expect(node.problems.join('\n')).toContain('Shutdown manager pod killing time out');
  await node.pass(12_000);
  expect(logind.calls).toEqual(['open 35', 'release']);
});

test('a shutdown that is cancelled between two groups leaves the pods of the second running', async () => {
  const { node, logind } = await open();
  await run(node, 'first');
  await run(node, 'second', { priorityClassName: 'high' });
  await node.pass(3000);
  logind.announce(true);
  await node.pass(1000);
  logind.announce(false);
  await node.pass(10_000);
  expect(runningPods(node)).toEqual(['second']);
  expect(await isReady(node, 'second')).toBe(true);
  expect(conditionOf(await nodeConditions(node), 'Ready')).toBe('True');
  // The lock was never released, so it is not taken again.
  expect(logind.calls).toEqual(['open 35']);
  await run(node, 'third');
  await node.pass(3000);
  expect(runningPods(node)).toEqual(['second', 'third']);
  logind.announce(true);
  await node.pass(20_000);
  expect(runningPods(node)).toEqual([]);
});

test('a shutdown that is cancelled at its end takes the lock again', async () => {
  const { node, logind } = await open();
  await run(node, 'only');
  await node.pass(3000);
  logind.announce(true);
  await node.pass(10_000);
  logind.announce(false);
  await node.pass(1000);
  expect(logind.calls).toEqual(['open 35', 'release', 'inhibit']);
  expect(conditionOf(await nodeConditions(node), 'Ready')).toBe('True');
});

test('a broken connection is opened again every second, and the old lock is held until then', async () => {
  const { node, logind } = await open();
  logind.isAway = true;
  logind.close();
  await node.pass(3500);
  expect(logind.calls).toEqual(['open 35']);
  logind.isAway = false;
  await node.pass(1000);
  expect(logind.calls).toEqual(['open 35', 'open 35', 'end']);
  await run(node, 'only');
  await node.pass(3000);
  // Announced while nothing was connected.
  logind.close();
  logind.isShuttingDown = true;
  await node.pass(10_000);
  expect(await statusOf(node, 'only')).toMatchObject({ reason: 'Terminated' });
  // And cancelled the same way.
  logind.close();
  logind.isShuttingDown = false;
  await node.pass(3000);
  expect(conditionOf(await nodeConditions(node), 'Ready')).toBe('True');
});

test('where no shutdown can be watched the node runs all the same, and the log says so once', async () => {
  const logind = new FakeInhibitor();
  logind.isAway = true;
  const { node } = await open({ shutdown: { inhibitor: logind } });
  await run(node, 'only');
  await node.pass(60_000);
  expect(runningPods(node)).toEqual(['only']);
  const failures = node.problems.filter((line) => line.startsWith('Failed to start node shutdown'));
  expect(failures).toHaveLength(1);
});

test('a plain stop leaves pods running, and after a restart no container has been restarted', async () => {
  const { node } = await open();
  const names = Array.from({ length: 5 }, (_, index) => `p${index}`);
  for (const name of names) await run(node, name);
  await node.pass(5000);
  const before = await Promise.all(names.map((name) => statusOf(node, name)));
  await node.stop();
  await node.start();
  await node.pass(120_000);
  const after = await Promise.all(names.map((name) => statusOf(node, name)));
  const idsOf = (statuses: readonly (PodStatus | null)[]) =>
    statuses.map((status) => status?.containerStatuses?.map((one) => one.containerID));
  expect(idsOf(after)).toEqual(idsOf(before));
  expect(after.map((status) => status?.containerStatuses?.[0]?.restartCount)).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

test('a drain ends pods by the settings for a shutdown, and resolves when the API knows it', async () => {
  const { node, logind } = await open();
  await run(node, 'low', { priorityClassName: 'low' });
  await run(node, 'high', { priorityClassName: 'high' });
  await node.pass(3000);
  const world = { isDrained: false };
  void node.kubelet.drain().then(() => (world.isDrained = true));
  await node.pass(4000);
  expect(runningPods(node)).toEqual(['high']);
  // No announcement was made, so none can be cancelled.
  logind.announce(false);
  await node.pass(6000);
  expect(world.isDrained).toBe(true);
  expect(await statusOf(node, 'low')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
  expect(await statusOf(node, 'high')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
  expect(conditionOf(await nodeConditions(node), 'Ready')).toBe('False');
});

test('without settings a drain gives each pod its own grace period', async () => {
  const scripts = scriptsOf({ containers: { main: { stop: 'ignored' } } });
  const { node } = await open({ scripts, settings: {} });
  await run(node, 'short', { ...podOf('short').spec, terminationGracePeriodSeconds: 2 });
  await run(node, 'long', { ...podOf('long').spec, terminationGracePeriodSeconds: 40 });
  await node.pass(3000);
  const world = { isDrained: false };
  void node.kubelet.drain().then(() => (world.isDrained = true));
  await node.pass(5000);
  expect(runningPods(node)).toEqual(['long']);
  expect(await node.cluster.findPod(at('short'))).toMatchObject({ status: { phase: 'Failed' } });
  await node.pass(34_000);
  expect(world.isDrained).toBe(false);
  await node.pass(3000);
  expect(world.isDrained).toBe(true);
  expect(await statusOf(node, 'long')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
});

test('the final statuses of a node whose API server is away delay a shutdown by ten seconds at most', async () => {
  const world = { isAway: false };
  const { node, logind } = await open({
    network: (transport) => ({
      ...transport,
      send: (request, ...rest) =>
        world.isAway ? Promise.reject(new Error('away')) : transport.send(request, ...rest),
    }),
  });
  await run(node, 'only');
  await node.pass(3000);
  world.isAway = true;
  logind.announce(true);
  await node.pass(12_000);
  expect(logind.calls).toEqual(['open 35']);
  await node.pass(3000);
  expect(logind.calls).toEqual(['open 35', 'release']);
});
