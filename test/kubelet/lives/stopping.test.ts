/** How pods stop: hooks, order, grace periods, and failures on the way (KL-10 to KL-14). */
import { expect, test } from 'vitest';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunHarness, type RunHarnessOptions } from '../runs/run-harness.ts';

const STUBBORN = { stop: 'ignored' } as const;
const GENTLE = { stop: { afterMs: 100, exitCode: 0 } };

async function running(
  pod: ReturnType<typeof livePod>,
  options: RunHarnessOptions = {},
): Promise<RunHarness> {
  const harness = new RunHarness(options);
  await harness.pass(10);
  harness.create(pod);
  await harness.pass(2000);
  expect(harness.statusOf(pod.metadata.name ?? '')?.phase).toBe('Running');
  return harness;
}

function killings(harness: RunHarness): readonly string[] {
  return harness.events.filter(({ reason }) => reason === 'Killing').map(({ message }) => message);
}

test('a container that ignores the signal is killed when its grace period is over, and not before', async () => {
  const harness = await running(livePod('web', { terminationGracePeriodSeconds: 20 }), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(19_900);
  expect(harness.statusOf('web')?.containerStatuses?.[0]?.state?.running).toBeDefined();
  await harness.pass(2200);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a shorter grace period reaches a stop that is under way, and is reported only once (F-8)', async () => {
  const harness = await running(livePod('web', { terminationGracePeriodSeconds: 600 }), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(10_000);
  harness.delete('web', NAMESPACE, 3);
  await harness.pass(6000);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(killings(harness)).toEqual(['Stopping container main']);
});

test('a preStop hook counts against the grace period, and is not run twice when that is shortened', async () => {
  let hooks = 0;
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { preStop: { exec: { command: ['drain'] } } },
  };
  const spec = { terminationGracePeriodSeconds: 60, containers: [container] };
  const harness = await running(livePod('web', spec), {
    scripts: () => ({
      ...STUBBORN,
      exec: () => {
        hooks += 1;
        return { afterMs: 40_000 };
      },
    }),
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(10_000);
  harness.delete('web', NAMESPACE, 5);
  // The new grace period goes to the hook, which still runs; the stop itself gets two seconds (PW-46).
  await harness.pass(5000);
  expect(harness.machine.newest('uid-of-web', 'main')?.state).toBe('running');
  await harness.pass(3000);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(hooks).toBe(1);
});

test('a preStop hook that fails is reported without its output, and the container stops all the same', async () => {
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { preStop: { exec: { command: ['drain'] } } },
  };
  const harness = await running(livePod('web', { containers: [container] }), {
    scripts: () => ({ ...GENTLE, exec: () => ({ exitCode: 1, stdout: 'secret' }) }),
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(3000);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(harness.events).toContainEqual({
    type: 'Warning',
    reason: 'FailedPreStopHook',
    message: 'PreStopHook failed',
    fieldPath: 'spec.containers{main}',
  });
  expect(JSON.stringify(harness.events)).not.toContain('secret');
});

test('sidecars stop after the regular containers, the last declared first (KL-14)', async () => {
  const ends: string[] = [];
  const sidecar = (name: string) => ({ name, image: 'busy:1', restartPolicy: 'Always' as const });
  const spec = { initContainers: [sidecar('proxy'), sidecar('logger')] };
  const harness = await running(livePod('web', spec), {
    scripts: () => ({ stop: { afterMs: 1000, exitCode: 0 } }),
  });
  harness.machine.follow(({ type, containerId = '' }) => {
    if (type === 'containerDied')
      ends.push(harness.machine.find(containerId)?.options.config.name ?? '');
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(10_000);
  expect(ends).toEqual(['main', 'logger', 'proxy']);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a stop that fails is reported, and retried until it succeeds (KL-10, A-66)', async () => {
  let failures = 2;
  const harness = await running(livePod('web'), {
    scripts: scriptsOf({ containers: { main: GENTLE } }),
    faults: (what) => {
      if (what !== 'stopContainer' && what !== 'stopSandbox') return undefined;
      failures -= 1;
      return failures >= 0 ? { error: 'the runtime is busy' } : undefined;
    },
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(60_000);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(harness.events).toContainEqual({
    type: 'Warning',
    reason: 'FailedKillPod',
    message: expect.stringContaining('error killing pod: the runtime is busy') as string,
    fieldPath: undefined,
  });
});

test('a stop that hangs is abandoned when the pod has to end faster', async () => {
  let hangs = true;
  const harness = await running(livePod('web', { terminationGracePeriodSeconds: 600 }), {
    faults: (what) => (what === 'stopContainer' && hangs ? { hangs } : undefined),
  });
  harness.delete('web', NAMESPACE);
  await harness.pass(5000);
  hangs = false;
  harness.delete('web', NAMESPACE, 5);
  await harness.pass(20_000);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a pod that only the runtime knows is stopped with the shortest grace period (KL-12)', async () => {
  const harness = await running(livePod('web'), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  await harness.close();
  harness.api.remove({ name: 'web', namespace: NAMESPACE });
  const after = new RunHarness({ after: harness });
  const runningPod = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  after.engine.workers.updatePod({ updateType: 'kill', runningPod });
  await after.pass(3000);
  expect(after.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
  expect(killings(after)).toEqual(['Stopping container main']);
});

test('a finished pod waits for its volumes before it is gone from the API (KL-13)', async () => {
  let exists = true;
  const harness = await running(livePod('web'), {
    volumes: {
      waitForMounts: () => Promise.resolve(),
      waitForUnmount: () => Promise.resolve(),
      volumesExist: () => exists,
    },
  });
  const addresses = harness.statusOf('web')?.podIPs;
  expect(addresses).toHaveLength(1);
  harness.delete('web', NAMESPACE);
  await harness.pass(30_000);
  // The addresses from before the stop stay.
  expect(harness.statusOf('web')).toMatchObject({ phase: 'Failed', podIPs: addresses });
  exists = false;
  await harness.pass(200);
  expect(harness.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a killed pod keeps the reason of its kill (A-57)', async () => {
  const harness = await running(livePod('web'));
  const pod = harness.engine.pods.find('uid-of-web')?.pod;
  if (!pod) throw new Error('no pod');
  const overrideStatus = (status: object) => ({
    ...status,
    phase: 'Failed' as const,
    reason: 'Evicted',
    message: 'The node was low on memory.',
  });
  harness.engine.workers.updatePod({
    updateType: 'kill',
    pod,
    kill: { evict: true, overrideStatus },
  });
  await harness.pass(5000);
  expect(harness.statusOf('web')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});

test('a deletion cancels a pull that is under way, and a mount that is waited for (F-21)', async () => {
  const registry = new Map([['busy:1', 600_000]]);
  const harness = new RunHarness({
    images: [],
    registry,
    volumes: {
      waitForMounts: ({ metadata }, signal) =>
        new Promise((resolve, reject) => {
          if (metadata.name === 'pulling') resolve();
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      waitForUnmount: () => Promise.resolve(),
      volumesExist: () => false,
    },
  });
  await harness.pass(10);
  for (const name of ['pulling', 'mounting']) harness.create(livePod(name));
  await harness.pass(5000);
  for (const name of ['pulling', 'mounting']) harness.delete(name, NAMESPACE);
  await harness.pass(1000);
  expect(harness.api.pods()).toEqual([]);
  expect(harness.events.map(({ reason }) => reason)).not.toContain('FailedMount');
});

test('a pod that was never started ends without a call to the runtime (E-24)', async () => {
  const harness = new RunHarness({ isNetworkReady: () => false });
  harness.create(livePod('web'));
  await harness.pass(5000);
  harness.delete('web', NAMESPACE);
  await harness.pass(1000);
  expect(harness.api.pods()).toEqual([]);
  expect(harness.machine.list()).toEqual([]);
});
