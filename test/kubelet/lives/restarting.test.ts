/**
 * Podkeep restarts: what it finds, what it continues, and what it must not do again.
 */
import { expect, test } from 'vitest';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunHarness } from '../runs/run-harness.ts';

const TWO = {
  containers: [
    { name: 'c0', image: 'busy:1' },
    { name: 'c1', image: 'busy:1' },
  ],
};

test('running containers are adopted: nothing is started again, and the status does not flap', async () => {
  const harness = new RunHarness();
  harness.create(livePod('web'));
  await harness.pass(60_000);
  const id = harness.statusOf('web')?.containerStatuses?.[0]?.containerID;
  await harness.close();
  await harness.pass(30_000);
  const after = new RunHarness({ after: harness });
  await after.pass(120_000);
  expect(after.statusOf('web')?.containerStatuses?.[0]).toMatchObject({
    containerID: id,
    ready: true,
    restartCount: 0,
  });
  expect(after.events.map(({ reason }) => reason)).toEqual([]);
  const notified = after.history
    .get('web')
    ?.map(({ status }) => status.containerStatuses?.[0]?.ready);
  expect(notified?.every((ready) => ready)).toBe(true);
});

test('containers that exited meanwhile are restarted, with their exit codes and counts', async () => {
  const harness = new RunHarness();
  harness.create(livePod('web'));
  await harness.pass(5000);
  await harness.close();
  harness.machine.newest('uid-of-web', 'main')?.exit(9);
  const after = new RunHarness({ after: harness });
  await after.pass(5000);
  const [status] = after.statusOf('web')?.containerStatuses ?? [];
  expect(status).toMatchObject({ restartCount: 1, ready: true });
  expect(status?.lastState?.terminated).toMatchObject({ exitCode: 9, reason: 'Error' });
});

test.each(['OnFailure', 'Never'] as const)(
  'a container that ended for good, and runs after a restart, is stopped and stays so (%s, SM-31)',
  async (restartPolicy) => {
    const harness = new RunHarness({
      scripts: scriptsOf({ containers: { c0: { lifeMs: 1000 } } }),
    });
    harness.create(livePod('job', { restartPolicy, ...TWO }));
    await harness.pass(5000);
    expect(harness.statusOf('job')?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
    await harness.close();
    // A start that the previous podkeep had requested took effect only now.
    const old = harness.machine.newest('uid-of-job', 'c0');
    if (!old) throw new Error('no container');
    const { sandboxId, config } = old.options;
    const late = harness.machine.createContainer(sandboxId, { ...config, attempt: 1 });
    late.start();
    const after = new RunHarness({ after: harness });
    await after.pass(500);
    expect(late.state).toBe('exited');
    await after.pass(120_000);
    expect(after.machine.newest('uid-of-job', 'c0')).toBe(late);
    const { phase, containerStatuses } = after.statusOf('job') ?? {};
    expect(phase).toBe('Running');
    expect(containerStatuses?.[1]).toMatchObject({ ready: true, restartCount: 0 });
  },
);

test('a pod that may not restart, and was stopped before all of it ran, is finished after a restart', async () => {
  const harness = new RunHarness({
    faults: (what) => (what === 'createContainer' ? { hangs: true } : undefined),
  });
  const pod = livePod('job', { restartPolicy: 'Never', ...TWO });
  harness.create(pod);
  await harness.pass(1000);
  // The first container was created, the second was not, and then the machine was switched off.
  const sandbox = harness.machine.inspect('uid-of-job').sandboxes[0]?.id ?? '';
  const other = new RunHarness();
  other.create(livePod('other', TWO));
  await other.pass(1000);
  const config = other.machine.newest('uid-of-other', 'c0')?.options.config;
  if (!config) throw new Error('no config');
  harness.machine.createContainer(sandbox, config).start();
  await harness.close();
  harness.machine.reboot();
  const after = new RunHarness({ after: harness });
  await after.pass(60_000);
  expect(after.statusOf('job')?.phase).toBe('Failed');
});

test('after a reboot a pod that restarts gets a new sandbox and new containers', async () => {
  const harness = new RunHarness();
  harness.create(livePod('web', { initContainers: [{ name: 'init', image: 'busy:1' }] }));
  harness.machine.follow(({ type, containerId = '' }) => {
    const container = harness.machine.find(containerId);
    const isInit = container?.options.config.name === 'init';
    if (type === 'containerStarted' && isInit) harness.clock.after(100, () => container.exit(0));
  });
  await harness.pass(5000);
  expect(harness.statusOf('web')?.phase).toBe('Running');
  const ip = harness.statusOf('web')?.podIP;
  await harness.close();
  harness.machine.reboot();
  await harness.pass(1000);
  const after = new RunHarness({ after: harness });
  await after.pass(10_000);
  const status = after.statusOf('web');
  expect(status?.phase).toBe('Running');
  expect(status?.podIP).not.toBe(ip);
  expect(status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, ready: true });
  expect(after.events.map(({ reason }) => reason)).toContain('SandboxChanged');
});

test('a pod that was deleted while podkeep was down is stopped and removed', async () => {
  const harness = new RunHarness();
  harness.create(livePod('web'));
  await harness.pass(5000);
  await harness.close();
  harness.delete('web', NAMESPACE);
  const after = new RunHarness({ after: harness });
  await after.pass(5000);
  expect(after.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(after.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
});
