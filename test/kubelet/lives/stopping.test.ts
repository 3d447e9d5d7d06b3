/** How pods end: hooks, turns, grace, and what goes wrong on the way (KL-10 to KL-14). */
import { expect, test } from 'vitest';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod, NAMESPACE } from '../runs/live-pod.ts';
import { RunStage, type RunStageOptions } from '../runs/run-stage.ts';

const STUBBORN = { stop: 'ignored' } as const;
const GENTLE = { stop: { afterMs: 100, exitCode: 0 } };

async function running(
  pod: ReturnType<typeof livePod>,
  options: RunStageOptions = {},
): Promise<RunStage> {
  const stage = new RunStage(options);
  await stage.pass(10);
  stage.create(pod);
  await stage.pass(2000);
  expect(stage.statusOf(pod.metadata.name ?? '')?.phase).toBe('Running');
  return stage;
}

function killings(stage: RunStage): readonly string[] {
  return stage.events.filter(({ reason }) => reason === 'Killing').map(({ message }) => message);
}

test('a container that ignores the signal is killed when its grace is over, and not before', async () => {
  const stage = await running(livePod('web', { terminationGracePeriodSeconds: 20 }), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(19_900);
  expect(stage.statusOf('web')?.containerStatuses?.[0]?.state?.running).toBeDefined();
  await stage.pass(2200);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a shorter grace reaches a stop that is under way, and is told only once (F-8)', async () => {
  const stage = await running(livePod('web', { terminationGracePeriodSeconds: 600 }), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(10_000);
  stage.delete('web', NAMESPACE, 3);
  await stage.pass(6000);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(killings(stage)).toEqual(['Stopping container main']);
});

test('a preStop hook takes from the grace, and is not run twice when the grace is shortened', async () => {
  let hooks = 0;
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { preStop: { exec: { command: ['drain'] } } },
  };
  const spec = { terminationGracePeriodSeconds: 60, containers: [container] };
  const stage = await running(livePod('web', spec), {
    scripts: () => ({
      ...STUBBORN,
      exec: () => {
        hooks += 1;
        return { afterMs: 40_000 };
      },
    }),
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(10_000);
  stage.delete('web', NAMESPACE, 5);
  // The new grace goes to the hook, which still runs; the stop itself gets two seconds (PW-46).
  await stage.pass(5000);
  expect(stage.machine.newest('uid-of-web', 'main')?.state).toBe('running');
  await stage.pass(3000);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(hooks).toBe(1);
});

test('a preStop hook that fails is told without its words, and the container stops all the same', async () => {
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { preStop: { exec: { command: ['drain'] } } },
  };
  const stage = await running(livePod('web', { containers: [container] }), {
    scripts: () => ({ ...GENTLE, exec: () => ({ exitCode: 1, stdout: 'secret' }) }),
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(3000);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(stage.events).toContainEqual({
    type: 'Warning',
    reason: 'FailedPreStopHook',
    message: 'PreStopHook failed',
    fieldPath: 'spec.containers{main}',
  });
  expect(JSON.stringify(stage.events)).not.toContain('secret');
});

test('sidecars stop after the regular containers, the last declared first (KL-14)', async () => {
  const ends: string[] = [];
  const sidecar = (name: string) => ({ name, image: 'busy:1', restartPolicy: 'Always' as const });
  const spec = { initContainers: [sidecar('proxy'), sidecar('logger')] };
  const stage = await running(livePod('web', spec), {
    scripts: () => ({ stop: { afterMs: 1000, exitCode: 0 } }),
  });
  stage.machine.follow(({ type, containerId = '' }) => {
    if (type === 'containerDied')
      ends.push(stage.machine.find(containerId)?.options.config.name ?? '');
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(10_000);
  expect(ends).toEqual(['main', 'logger', 'proxy']);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a stop that fails is told, and tried again until it succeeds (KL-10, A-66)', async () => {
  let failures = 2;
  const stage = await running(livePod('web'), {
    scripts: scriptsOf({ containers: { main: GENTLE } }),
    faults: (what) => {
      if (what !== 'stopContainer' && what !== 'stopSandbox') return undefined;
      failures -= 1;
      return failures >= 0 ? { error: 'the runtime is busy' } : undefined;
    },
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(60_000);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
  expect(stage.events).toContainEqual({
    type: 'Warning',
    reason: 'FailedKillPod',
    message: expect.stringContaining('error killing pod: the runtime is busy') as string,
    fieldPath: undefined,
  });
});

test('a stop that hangs is given up when the pod has to end faster', async () => {
  let hangs = true;
  const stage = await running(livePod('web', { terminationGracePeriodSeconds: 600 }), {
    faults: (what) => (what === 'stopContainer' && hangs ? { hangs } : undefined),
  });
  stage.delete('web', NAMESPACE);
  await stage.pass(5000);
  hangs = false;
  stage.delete('web', NAMESPACE, 5);
  await stage.pass(20_000);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a pod that only the runtime knows is stopped within the shortest grace (KL-12)', async () => {
  const stage = await running(livePod('web'), {
    scripts: scriptsOf({ containers: { main: STUBBORN } }),
  });
  await stage.close();
  stage.api.remove({ name: 'web', namespace: NAMESPACE });
  const after = new RunStage({ after: stage });
  const runningPod = { uid: 'uid-of-web', name: 'web', namespace: NAMESPACE };
  after.workers.updatePod({ updateType: 'kill', runningPod });
  await after.pass(3000);
  expect(after.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
  expect(killings(after)).toEqual(['Stopping container main']);
});

test('a finished pod waits for its volumes before it is gone from the API (KL-13)', async () => {
  let exists = true;
  const stage = await running(livePod('web'), {
    volumes: {
      waitForMounts: () => Promise.resolve(),
      waitForUnmount: () => Promise.resolve(),
      volumesExist: () => exists,
    },
  });
  const addresses = stage.statusOf('web')?.podIPs;
  expect(addresses).toHaveLength(1);
  stage.delete('web', NAMESPACE);
  await stage.pass(30_000);
  // The addresses from before the stop stay.
  expect(stage.statusOf('web')).toMatchObject({ phase: 'Failed', podIPs: addresses });
  exists = false;
  await stage.pass(200);
  expect(stage.api.find({ name: 'web', namespace: NAMESPACE })).toBeUndefined();
});

test('a killed pod that says why keeps saying so (A-57)', async () => {
  const stage = await running(livePod('web'));
  const pod = stage.pods.find('uid-of-web')?.pod;
  if (!pod) throw new Error('no pod');
  const overrideStatus = (status: object) => ({
    ...status,
    phase: 'Failed' as const,
    reason: 'Evicted',
    message: 'The node was low on memory.',
  });
  stage.workers.updatePod({ updateType: 'kill', pod, kill: { evict: true, overrideStatus } });
  await stage.pass(5000);
  expect(stage.statusOf('web')).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
});

test('a deletion reaches a pull that is under way, and a mount that is waited for (F-21)', async () => {
  const registry = new Map([['busy:1', 600_000]]);
  const stage = new RunStage({
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
  await stage.pass(10);
  for (const name of ['pulling', 'mounting']) stage.create(livePod(name));
  await stage.pass(5000);
  for (const name of ['pulling', 'mounting']) stage.delete(name, NAMESPACE);
  await stage.pass(1000);
  expect(stage.api.pods()).toEqual([]);
  expect(stage.events.map(({ reason }) => reason)).not.toContain('FailedMount');
});

test('a pod that was never started ends without a word to the runtime (E-24)', async () => {
  const stage = new RunStage({ sync: { networkError: () => 'no plugin' } });
  stage.create(livePod('web'));
  await stage.pass(5000);
  stage.delete('web', NAMESPACE);
  await stage.pass(1000);
  expect(stage.api.pods()).toEqual([]);
  expect(stage.machine.list()).toEqual([]);
});
