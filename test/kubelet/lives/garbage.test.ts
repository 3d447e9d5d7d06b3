/** What is left of containers that have died, and for how long. */
import { expect, test, vi } from 'vitest';
import { ContainerCollector } from '../../../src/kubelet/pod-runner/container-collector.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunStage, type RunStageOptions } from '../runs/run-stage.ts';

const NEVER = new AbortController().signal;
const READY = { areSourcesReady: true };

function stageWith(options: RunStageOptions = {}) {
  const stage = new RunStage(options);
  const { clock, runtime, runner, files, workers, status } = stage;
  const isTold = (uid: string): boolean => status.isTold(uid);
  const room = { clock, log: silentLog, runtime, runner, files, pods: workers, isTold };
  return { stage, room, collector: new ContainerCollector(room) };
}

function attempts(stage: RunStage, uid: string): readonly number[] {
  return stage.machine.inspect(uid).containers.map(({ restartCount }) => restartCount);
}

test('of each container the newest dead one is kept beside the one that runs', async () => {
  const { stage, collector } = stageWith({
    scripts: ({ config }) => (config.attempt < 4 ? { lifeMs: 100, exitCode: 1 } : {}),
  });
  stage.create(livePod('web'));
  await stage.pass(120_000);
  expect(attempts(stage, 'uid-of-web')).toEqual([4, 3, 2, 1, 0]);
  await collector.collect(READY, NEVER);
  expect(attempts(stage, 'uid-of-web')).toEqual([4, 3]);
  const reference = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  expect(await stage.files.lastRunLogged(reference, 'main')).toBe(4);
});

test('a death prunes those before it at once (KL-58)', async () => {
  const { stage, collector } = stageWith({
    scripts: () => ({ lifeMs: 100, exitCode: 1 }),
  });
  stage.create(livePod('web'));
  await stage.pass(60_000);
  const pod = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  await collector.prunePod(pod, 'main', NEVER);
  expect(attempts(stage, 'uid-of-web')).toHaveLength(1);
});

test('of a pod that is gone nothing is kept: containers, sandbox and logs', async () => {
  const { stage, collector } = stageWith();
  stage.create(livePod('web'));
  stage.create(livePod('other'));
  await stage.pass(2000);
  stage.delete('web', NAMESPACE);
  await stage.pass(10_000);
  await collector.collect(READY, NEVER);
  expect(stage.machine.list().map(({ name }) => name)).toEqual(['other']);
  expect((await stage.files.podsWithLogs()).map(({ name }) => name)).toEqual(['other']);
});

test('before all sources have spoken nobody knows which pods are gone', async () => {
  const { stage, collector } = stageWith();
  stage.create(livePod('web'));
  await stage.pass(2000);
  stage.delete('web', NAMESPACE);
  await stage.pass(10_000);
  await collector.collect({ areSourcesReady: false }, NEVER);
  expect(attempts(stage, 'uid-of-web')).toEqual([0]);
});

test('an evicted pod keeps its dead containers until its end is told (F-15)', async () => {
  const { stage, collector } = stageWith({
    scripts: ({ config }) =>
      config.name === 'quick' ? { stop: { exitCode: 5 } } : { stop: 'ignored' },
  });
  const containers = [
    { name: 'quick', image: 'busy:1' },
    { name: 'slow', image: 'busy:1' },
  ];
  stage.create(livePod('web', { containers, terminationGracePeriodSeconds: 60 }));
  await stage.pass(2000);
  const pod = stage.pods.find('uid-of-web')?.pod;
  if (!pod) throw new Error('no pod');
  stage.workers.updatePod({ updateType: 'kill', pod, kill: { evict: true } });
  await stage.pass(5000);
  expect(stage.workers.shouldPodContentBeRemoved('uid-of-web')).toBe(true);
  await collector.collect(READY, NEVER);
  await stage.pass(120_000);
  const codes = stage
    .statusOf('web')
    ?.containerStatuses?.map(({ state }) => state?.terminated?.exitCode);
  expect(codes).toEqual([5, 137]);
  await collector.collect(READY, NEVER);
  expect(stage.machine.list()).toEqual([]);
});

test('a pod keeps its dead containers while the API cannot be told, and the next podkeep tells (F-15)', async () => {
  const { stage, collector } = stageWith({ scripts: () => ({ stop: { exitCode: 5 } }) });
  stage.create(livePod('web', { restartPolicy: 'Never' }));
  await stage.pass(2000);
  const write = vi.spyOn(stage.api, 'patchPodStatus');
  write.mockRejectedValue(new Error('the API is gone'));
  stage.delete('web', NAMESPACE);
  await stage.pass(60_000);
  expect(stage.workers.shouldPodContentBeRemoved('uid-of-web')).toBe(true);
  await collector.collect(READY, NEVER);
  expect(attempts(stage, 'uid-of-web')).toEqual([0]);
  await stage.close();

  write.mockRestore();
  const next = new RunStage({ after: stage });
  await next.pass(60_000);
  const ends = next.history
    .get('web')
    ?.flatMap(({ status }) => status.containerStatuses?.[0]?.state?.terminated ?? []);
  expect(new Set(ends?.map(({ exitCode }) => exitCode))).toEqual(new Set([5]));
});

test('at most so many dead containers are kept on the node', async () => {
  const { stage, room } = stageWith({ scripts: () => ({ lifeMs: 100 }) });
  for (const name of ['a', 'b', 'c']) stage.create(livePod(name, { restartPolicy: 'Never' }));
  await stage.pass(5000);
  await new ContainerCollector({ ...room, keptMax: 1 }).collect(READY, NEVER);
  expect(stage.machine.list().flatMap(({ pod }) => pod.containers)).toHaveLength(1);
});
