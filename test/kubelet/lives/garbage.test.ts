/** Container garbage collection: which dead containers are kept, and for how long. */
import { expect, test, vi } from 'vitest';
import { ContainerCollector } from '../../../src/kubelet/containers/stop/container-collector.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunHarness, type RunHarnessOptions } from '../runs/run-harness.ts';

const NEVER = new AbortController().signal;
const READY = { areSourcesReady: true };

function harnessWith(options: RunHarnessOptions = {}) {
  const harness = new RunHarness(options);
  const { clock, runtime, files } = harness;
  const { runner, workers, status } = harness.engine;
  const isAcknowledged = (uid: string): boolean => status.isAcknowledged(uid);
  const deps = { clock, log: silentLog, runtime, runner, files, pods: workers, isAcknowledged };
  return { harness, deps, collector: new ContainerCollector(deps) };
}

function attempts(harness: RunHarness, uid: string): readonly number[] {
  return harness.machine.inspect(uid).containers.map(({ restartCount }) => restartCount);
}

test('of each container the newest dead one is kept beside the one that runs', async () => {
  const { harness, collector } = harnessWith({
    scripts: ({ config }) => (config.attempt < 4 ? { lifeMs: 100, exitCode: 1 } : {}),
  });
  harness.create(livePod('web'));
  await harness.pass(120_000);
  expect(attempts(harness, 'uid-of-web')).toEqual([4, 3, 2, 1, 0]);
  await collector.collect(READY, NEVER);
  expect(attempts(harness, 'uid-of-web')).toEqual([4, 3]);
  const reference = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  expect(await harness.files.lastRunLogged(reference, 'main')).toBe(4);
});

test('the exit of a container prunes older dead ones immediately (KL-58)', async () => {
  const { harness, collector } = harnessWith({
    scripts: () => ({ lifeMs: 100, exitCode: 1 }),
  });
  harness.create(livePod('web'));
  await harness.pass(60_000);
  const pod = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  await collector.prunePod(pod, 'main', NEVER);
  expect(attempts(harness, 'uid-of-web')).toHaveLength(1);
});

test('of a pod that is gone nothing is kept: containers, sandbox and logs', async () => {
  const { harness, collector } = harnessWith();
  harness.create(livePod('web'));
  harness.create(livePod('other'));
  await harness.pass(2000);
  harness.delete('web', NAMESPACE);
  await harness.pass(10_000);
  await collector.collect(READY, NEVER);
  expect(harness.machine.list().map(({ name }) => name)).toEqual(['other']);
  expect((await harness.files.podsWithLogs()).map(({ name }) => name)).toEqual(['other']);
});

test('before all sources are ready it is unknown which pods are gone', async () => {
  const { harness, collector } = harnessWith();
  harness.create(livePod('web'));
  await harness.pass(2000);
  harness.delete('web', NAMESPACE);
  await harness.pass(10_000);
  await collector.collect({ areSourcesReady: false }, NEVER);
  expect(attempts(harness, 'uid-of-web')).toEqual([0]);
});

test('an evicted pod keeps its dead containers until its end is reported (F-15)', async () => {
  const { harness, collector } = harnessWith({
    scripts: ({ config }) =>
      config.name === 'quick' ? { stop: { exitCode: 5 } } : { stop: 'ignored' },
  });
  const containers = [
    { name: 'quick', image: 'busy:1' },
    { name: 'slow', image: 'busy:1' },
  ];
  harness.create(livePod('web', { containers, terminationGracePeriodSeconds: 60 }));
  await harness.pass(2000);
  const pod = harness.engine.pods.find('uid-of-web')?.pod;
  if (!pod) throw new Error('no pod');
  harness.engine.workers.updatePod({ updateType: 'kill', pod, kill: { evict: true } });
  await harness.pass(5000);
  expect(harness.engine.workers.shouldPodContentBeRemoved('uid-of-web')).toBe(true);
  await collector.collect(READY, NEVER);
  await harness.pass(120_000);
  const codes = harness
    .statusOf('web')
    ?.containerStatuses?.map(({ state }) => state?.terminated?.exitCode);
  expect(codes).toEqual([5, 137]);
  await collector.collect(READY, NEVER);
  expect(harness.machine.list()).toEqual([]);
});

test('a pod keeps its dead containers while the API is down, and the next podkeep reports them (F-15)', async () => {
  const { harness, collector } = harnessWith({ scripts: () => ({ stop: { exitCode: 5 } }) });
  harness.create(livePod('web', { restartPolicy: 'Never' }));
  await harness.pass(2000);
  const write = vi.spyOn(harness.api, 'patchPodStatus');
  write.mockRejectedValue(new Error('the API is gone'));
  harness.delete('web', NAMESPACE);
  await harness.pass(60_000);
  expect(harness.engine.workers.shouldPodContentBeRemoved('uid-of-web')).toBe(true);
  await collector.collect(READY, NEVER);
  expect(attempts(harness, 'uid-of-web')).toEqual([0]);
  await harness.close();

  write.mockRestore();
  const next = new RunHarness({ after: harness });
  await next.pass(60_000);
  const ends = next.history
    .get('web')
    ?.flatMap(({ status }) => status.containerStatuses?.[0]?.state?.terminated ?? []);
  expect(new Set(ends?.map(({ exitCode }) => exitCode))).toEqual(new Set([5]));
});

test('at most so many dead containers are kept on the node', async () => {
  const { harness, deps } = harnessWith({ scripts: () => ({ lifeMs: 100 }) });
  for (const name of ['a', 'b', 'c']) harness.create(livePod(name, { restartPolicy: 'Never' }));
  await harness.pass(5000);
  await new ContainerCollector({ ...deps, keptMax: 1 }).collect(READY, NEVER);
  expect(harness.machine.list().flatMap(({ pod }) => pod.containers)).toHaveLength(1);
});
