/**
 * Podkeep goes and comes back: what it finds, what it goes on with, and what it must not do again.
 */
import { expect, test } from 'vitest';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunStage } from '../runs/run-stage.ts';

const TWO = {
  containers: [
    { name: 'c0', image: 'busy:1' },
    { name: 'c1', image: 'busy:1' },
  ],
};

test('running containers are adopted: nothing is started again, and the status does not flap', async () => {
  const stage = new RunStage();
  stage.create(livePod('web'));
  await stage.pass(60_000);
  const id = stage.statusOf('web')?.containerStatuses?.[0]?.containerID;
  await stage.close();
  await stage.pass(30_000);
  const after = new RunStage({ after: stage });
  await after.pass(120_000);
  expect(after.statusOf('web')?.containerStatuses?.[0]).toMatchObject({
    containerID: id,
    ready: true,
    restartCount: 0,
  });
  expect(after.events.map(({ reason }) => reason)).toEqual([]);
  const told = after.history.get('web')?.map(({ status }) => status.containerStatuses?.[0]?.ready);
  expect(told?.every((ready) => ready)).toBe(true);
});

test('what ended meanwhile is restarted, with its exit code and its count', async () => {
  const stage = new RunStage();
  stage.create(livePod('web'));
  await stage.pass(5000);
  await stage.close();
  stage.machine.newest('uid-of-web', 'main')?.exit(9);
  const after = new RunStage({ after: stage });
  await after.pass(5000);
  const [status] = after.statusOf('web')?.containerStatuses ?? [];
  expect(status).toMatchObject({ restartCount: 1, ready: true });
  expect(status?.lastState?.terminated).toMatchObject({ exitCode: 9, reason: 'Error' });
});

test.each(['OnFailure', 'Never'] as const)(
  'a container that ended for good, and runs after a restart, is stopped and stays so (%s, SM-31)',
  async (restartPolicy) => {
    const stage = new RunStage({ scripts: scriptsOf({ containers: { c0: { lifeMs: 1000 } } }) });
    stage.create(livePod('job', { restartPolicy, ...TWO }));
    await stage.pass(5000);
    expect(stage.statusOf('job')?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
    await stage.close();
    // A start that the podkeep before had asked for came through only now.
    const old = stage.machine.newest('uid-of-job', 'c0');
    if (!old) throw new Error('no container');
    const { sandboxId, config } = old.options;
    const late = stage.machine.createContainer(sandboxId, { ...config, attempt: 1 });
    late.start();
    const after = new RunStage({ after: stage });
    await after.pass(500);
    expect(late.state).toBe('exited');
    await after.pass(120_000);
    expect(after.machine.newest('uid-of-job', 'c0')).toBe(late);
    const { phase, containerStatuses } = after.statusOf('job') ?? {};
    expect(phase).toBe('Running');
    expect(containerStatuses?.[1]).toMatchObject({ ready: true, restartCount: 0 });
  },
);

test('a pod that may not restart, and was stopped before all of it ran, is over after a restart', async () => {
  const stage = new RunStage({
    faults: (what) => (what === 'createContainer' ? { hangs: true } : undefined),
  });
  const pod = livePod('job', { restartPolicy: 'Never', ...TWO });
  stage.create(pod);
  await stage.pass(1000);
  // The first container came to be, the second did not, and then the machine was switched off.
  const sandbox = stage.machine.inspect('uid-of-job').sandboxes[0]?.id ?? '';
  const other = new RunStage();
  other.create(livePod('other', TWO));
  await other.pass(1000);
  const config = other.machine.newest('uid-of-other', 'c0')?.options.config;
  if (!config) throw new Error('no config');
  stage.machine.createContainer(sandbox, config).start();
  await stage.close();
  stage.machine.reboot();
  const after = new RunStage({ after: stage });
  await after.pass(60_000);
  expect(after.statusOf('job')?.phase).toBe('Failed');
});

test('after a reboot a pod that restarts gets a new sandbox and new containers', async () => {
  const stage = new RunStage();
  stage.create(livePod('web', { initContainers: [{ name: 'init', image: 'busy:1' }] }));
  stage.machine.follow(({ type, containerId = '' }) => {
    const container = stage.machine.find(containerId);
    const isInit = container?.options.config.name === 'init';
    if (type === 'containerStarted' && isInit) stage.clock.after(100, () => container.exit(0));
  });
  await stage.pass(5000);
  expect(stage.statusOf('web')?.phase).toBe('Running');
  const ip = stage.statusOf('web')?.podIP;
  await stage.close();
  stage.machine.reboot();
  await stage.pass(1000);
  const after = new RunStage({ after: stage });
  await after.pass(10_000);
  const status = after.statusOf('web');
  expect(status?.phase).toBe('Running');
  expect(status?.podIP).not.toBe(ip);
  expect(status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  expect(after.events.map(({ reason }) => reason)).toContain('SandboxChanged');
});

test('a pod that was deleted while podkeep was away is stopped and removed', async () => {
  const stage = new RunStage();
  stage.create(livePod('web'));
  await stage.pass(5000);
  await stage.close();
  stage.delete('web', NAMESPACE);
  const after = new RunStage({ after: stage });
  await after.pass(5000);
  expect(after.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(after.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
});
