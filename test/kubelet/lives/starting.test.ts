/** How containers come to run, and what is said when they do not (KL-2, KL-41 to KL-54). */
import { expect, test } from 'vitest';
import type { ContainerStatus } from '../../../src/api/pod.ts';
import { PodkeepError } from '../../../src/lib/errors.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod } from '../runs/live-pod.ts';
import { RunStage } from '../runs/run-stage.ts';

function first(stage: RunStage, name = 'web'): ContainerStatus | undefined {
  return stage.statusOf(name)?.containerStatuses?.[0];
}

function told(stage: RunStage, reason: string): readonly string[] {
  return stage.events.filter((event) => event.reason === reason).map(({ message }) => message);
}

test('an image that is not here is pulled, and users hear how long it took', async () => {
  const stage = new RunStage({ images: [], registry: new Map([['busy:1', 1500]]) });
  stage.create(livePod('web'));
  await stage.pass(1000);
  expect(first(stage)?.state?.waiting?.reason).toBe('ContainerCreating');
  await stage.pass(1000);
  expect(first(stage)?.state?.running).toBeDefined();
  expect(told(stage, 'Pulling')).toEqual(['Pulling image "busy:1"']);
  expect(told(stage, 'Pulled')).toEqual([
    'Successfully pulled image "busy:1" in 1.5s (1.5s including waiting). Image size: 4000000 bytes.',
  ]);
});

test('a pod with a sandbox is ready to start containers while its images are pulled (KL-7, E-17)', async () => {
  const stage = new RunStage({ images: [], registry: new Map([['busy:1', 60_000]]) });
  stage.create(livePod('web'));
  await stage.pass(2000);
  expect(told(stage, 'Pulled')).toEqual([]);
  const { conditions } = stage.statusOf('web') ?? {};
  expect(conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('True');
});

test('pulls come one after the other, and say how long they waited', async () => {
  const registry = new Map([
    ['busy:1', 1000],
    ['other:1', 1000],
  ]);
  const stage = new RunStage({ images: [], registry });
  await stage.pass(10);
  stage.create(livePod('a'));
  stage.create(livePod('b', { containers: [{ name: 'main', image: 'other:1' }] }));
  await stage.pass(5000);
  expect(told(stage, 'Pulled').map((message) => /in (.*)\. Image/.exec(message)?.[1])).toEqual([
    '1s (1s including waiting)',
    '1s (2s including waiting)',
  ]);
});

test('a pull that fails waits 10 s, 20 s, and so on, and starts when the registry is back (KL-54)', async () => {
  let isDown = true;
  const stage = new RunStage({
    images: [],
    faults: (what) => (what === 'pullImage' && isDown ? { error: 'no route' } : undefined),
  });
  stage.create(livePod('web'));
  await stage.pass(5000);
  expect(first(stage)?.state?.waiting).toEqual({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "busy:1": ErrImagePull: no route',
  });
  await stage.pass(600_000);
  const pulls = told(stage, 'Pulling').length;
  expect(pulls).toBeGreaterThan(4);
  expect(pulls).toBeLessThan(8);
  isDown = false;
  await stage.pass(320_000);
  expect(first(stage)?.state?.running).toBeDefined();
});

test('a registry that is unavailable is a reason of its own', async () => {
  const stage = new RunStage({
    images: [],
    faults: (what) =>
      what === 'pullImage' ? { error: 'RegistryUnavailable: 503 from mirror' } : undefined,
  });
  stage.create(livePod('web'));
  await stage.pass(12_000);
  const reasons = stage.history
    .get('web')
    ?.map(({ status }) => status.containerStatuses?.[0]?.state?.waiting);
  expect(reasons).toContainEqual({
    reason: 'RegistryUnavailable',
    message: 'image pull failed for busy:1 because the registry is unavailable: 503 from mirror',
  });
});

test('a crash loop waits longer and longer, up to five minutes, and starts anew after a good run (KL-51, KL-52)', async () => {
  const starts: number[] = [];
  let lifeMs = 1000;
  const stage = new RunStage({ scripts: () => ({ lifeMs, exitCode: 1 }) });
  stage.machine.follow(({ type }) => {
    if (type === 'containerStarted') starts.push(stage.clock.monotonic());
  });
  stage.create(livePod('web'));
  await stage.pass(30 * 60_000);
  const waits = starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / 1000));
  // Each wait counts from the end of a run of one second.
  expect(waits.slice(0, 8)).toEqual([1, 11, 21, 41, 81, 161, 301, 301]);
  const before = starts.length;
  lifeMs = 20 * 60_000;
  await stage.pass(6 * 60_000);
  expect(starts.length).toBe(before + 1);
  lifeMs = 1000;
  await stage.pass(20 * 60_000);
  // The next one starts at once, and the one after that after ten seconds.
  const [long = 0, next = 0, after = 0] = starts.slice(before);
  expect([next - long, after - next].map((ms) => Math.round(ms / 1000))).toEqual([1200, 11]);
});

test('a crashing container waits as CrashLoopBackOff for the whole time, and not a moment longer (F-11, KL-6)', async () => {
  const stage = new RunStage({ scripts: () => ({ lifeMs: 500, exitCode: 2 }) });
  stage.create(livePod('web'));
  await stage.pass(2000);
  expect(first(stage)?.state?.waiting?.message).toBe(
    'back-off 10s restarting failed container=main pod=web_rec(uid-of-web)',
  );
  await stage.pass(8900);
  expect(first(stage)?.state?.waiting?.reason).toBe('CrashLoopBackOff');
  await stage.pass(200);
  expect(first(stage)).toMatchObject({ restartCount: 2 });
});

test('a container that cannot be made is tried again, and its status says why', async () => {
  const runs = [{ createError: 'no space left on device' }, {}];
  const stage = new RunStage({ scripts: () => runs.shift() ?? {} });
  stage.create(livePod('web'));
  await stage.pass(15_000);
  const said = (stage.history.get('web') ?? []).map(
    ({ status }) => status.containerStatuses?.[0]?.state?.waiting,
  );
  expect(said).toContainEqual({
    reason: 'CreateContainerError',
    message: 'no space left on device',
  });
  expect(told(stage, 'Failed')).toEqual(['Error: no space left on device']);
  expect(first(stage)?.state?.running).toBeDefined();
});

test('a postStart hook that fails ends its container, and says why without telling secrets (KL-44)', async () => {
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { postStart: { exec: { command: ['warm', 'up'] } } },
  };
  const stage = new RunStage({
    scripts: () => ({ stop: { exitCode: 0 }, exec: () => ({ exitCode: 3, stdout: 'password' }) }),
  });
  stage.create(livePod('web', { containers: [container] }));
  await stage.pass(1000);
  const said = (stage.history.get('web') ?? []).map(
    ({ status }) => status.containerStatuses?.[0]?.state?.waiting,
  );
  expect(said).toContainEqual({
    reason: 'PostStartHookError',
    message:
      'Exec lifecycle hook ([warm up]) for Container "main" in Pod "web_rec(uid-of-web)" failed - error: ' +
      `command 'warm up' exited with 3: password, message: "password"`,
  });
  expect(told(stage, 'FailedPostStartHook')).toContain('PostStartHook failed');
  expect(told(stage, 'Killing')).toContain('FailedPostStartHook');
  expect(JSON.stringify(stage.events)).not.toContain('password');
});

test('a hook that pauses keeps the next container waiting for it', async () => {
  const containers = [
    { name: 'main', image: 'busy:1', lifecycle: { postStart: { sleep: { seconds: 5 } } } },
    { name: 'next', image: 'busy:1' },
  ];
  const stage = new RunStage();
  stage.create(livePod('web', { containers }));
  await stage.pass(4900);
  expect(stage.machine.newest('uid-of-web', 'main')?.state).toBe('running');
  expect(stage.machine.newest('uid-of-web', 'next')).toBeUndefined();
  await stage.pass(200);
  expect(stage.statusOf('web')?.phase).toBe('Running');
});

test('a debugging container is started in a running pod, and sees the container that it names', async () => {
  const stage = new RunStage();
  const pod = livePod('web');
  stage.create(pod);
  await stage.pass(2000);
  const current = stage.api.findByUid('uid-of-web');
  const ephemeralContainers = [
    { name: 'debugger', image: 'busy:1', targetContainerName: 'main' },
    { name: 'lost', image: 'busy:1', targetContainerName: 'nobody' },
  ];
  stage.api.put({ ...current, ...pod, spec: { ...pod.spec, ephemeralContainers } });
  await stage.pass(2000);
  const debug = stage.machine.newest('uid-of-web', 'debugger')?.options.config;
  expect(debug?.security.targetContainerId).toBe(first(stage)?.containerID);
  const [, lost] = stage.statusOf('web')?.ephemeralContainerStatuses ?? [];
  expect(lost?.state?.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'unable to find target container nobody',
  });
});

test('an init container that crashes holds back everything behind it', async () => {
  const initContainers = [{ name: 'init', image: 'busy:1' }];
  const stage = new RunStage({
    scripts: scriptsOf({ containers: { init: { lifeMs: 100, exitCode: 1 } } }),
  });
  stage.create(livePod('web', { initContainers }));
  await stage.pass(60_000);
  const { phase, initContainerStatuses } = stage.statusOf('web') ?? {};
  expect(phase).toBe('Pending');
  expect(initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff');
  expect(stage.machine.newest('uid-of-web', 'main')).toBeUndefined();
});

test('a sandbox that cannot be made is told, and made when it can (KL-1)', async () => {
  let isDown = true;
  const stage = new RunStage({
    faults: (what) => (what === 'runSandbox' && isDown ? { error: 'no address left' } : undefined),
  });
  stage.create(livePod('web'));
  await stage.pass(1000);
  expect(told(stage, 'FailedCreatePodSandBox')).toEqual([
    'Failed to create pod sandbox: no address left',
  ]);
  expect(stage.statusOf('web')?.phase).toBe('Pending');
  isDown = false;
  await stage.pass(15_000);
  expect(stage.statusOf('web')?.phase).toBe('Running');
});

test('without a network only pods with the host network start (KL-2)', async () => {
  let reason: string | null = 'no plugin';
  const stage = new RunStage({ sync: { networkError: () => reason } });
  stage.create(livePod('web'));
  stage.create(livePod('agent', { hostNetwork: true }));
  await stage.pass(2000);
  expect(stage.statusOf('agent')).toMatchObject({ phase: 'Running', podIP: '192.168.0.2' });
  expect(stage.statusOf('web')?.phase).toBe('Pending');
  expect(told(stage, 'NetworkNotReady')).toContain('network is not ready: no plugin');
  reason = null;
  await stage.pass(2000);
  expect(stage.statusOf('web')?.phase).toBe('Running');
});

test('a runtime without events is asked every second, and nothing is missed', async () => {
  const stage = new RunStage({
    hasEvents: false,
    scripts: scriptsOf({ containers: { main: [{ lifeMs: 5000, exitCode: 1 }, {}] } }),
  });
  stage.create(livePod('web'));
  await stage.pass(2000);
  expect(stage.statusOf('web')?.phase).toBe('Running');
  await stage.pass(6000);
  expect(first(stage)).toMatchObject({ restartCount: 1, ready: true });
});

test('a container that the runtime has lost track of is stopped before it is started again', async () => {
  const stage = new RunStage({ hasEvents: false });
  stage.create(livePod('web'));
  await stage.pass(2000);
  const lost = stage.machine.newest('uid-of-web', 'main');
  lost?.lose();
  // Nobody is told of such a change (KL-87): the next look at the pod finds it.
  await stage.pass(100_000);
  expect(lost?.state).toBe('exited');
  expect(told(stage, 'Killing')).toEqual([
    'Container is in "unknown" state, try killing it before restart',
  ]);
  expect(first(stage)).toMatchObject({ ready: true });
});

test('a pod past its deadline is failed and stopped (KL-24)', async () => {
  const stage = new RunStage();
  stage.create(livePod('web', { activeDeadlineSeconds: 100 }));
  await stage.pass(200_000);
  expect(stage.statusOf('web')).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  expect(told(stage, 'DeadlineExceeded')).toEqual([
    'Pod was active on the node longer than the specified deadline',
  ]);
  expect(stage.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
});

test('missing pull secrets are told, and are no reason not to try (KL-2)', async () => {
  const pullSecrets = {
    find: () => Promise.resolve({ missing: ['a', 'b'], credentialsFor: () => [] }),
  };
  const stage = new RunStage({ sync: { pullSecrets } });
  stage.create(livePod('web'));
  await stage.pass(1000);
  expect(stage.statusOf('web')?.phase).toBe('Running');
  expect(told(stage, 'FailedToRetrieveImagePullSecret')).toContain(
    'Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
  );
});

test('a changed image restarts its container, and nothing else', async () => {
  const containers = [
    { name: 'main', image: 'busy:1' },
    { name: 'other', image: 'busy:1' },
  ];
  const stage = new RunStage();
  const pod = livePod('web', { containers });
  stage.create(pod);
  await stage.pass(2000);
  const current = stage.api.findByUid('uid-of-web');
  const changed = containers.map((each) =>
    each.name === 'main' ? { ...each, image: 'busy:2' } : each,
  );
  stage.api.put({ ...current, ...pod, spec: { ...pod.spec, containers: changed } });
  await stage.pass(2000);
  const [main, other] = stage.statusOf('web')?.containerStatuses ?? [];
  expect(main).toMatchObject({ image: 'busy:2', restartCount: 1 });
  expect(other).toMatchObject({ image: 'busy:1', restartCount: 0 });
  expect(told(stage, 'Killing')).toEqual(['Container main definition changed, will be restarted']);
});

test('a container that must not be root, and would be, is not made', async () => {
  const containers = [
    { name: 'main', image: 'busy:1', securityContext: { runAsNonRoot: true, runAsUser: 0 } },
  ];
  const stage = new RunStage();
  stage.create(livePod('web', { containers }));
  await stage.pass(2000);
  expect(first(stage)?.state?.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message:
      `container's runAsUser breaks non-root policy (pod: "web_rec(uid-of-web)", ` +
      'container: main)',
  });
  expect(stage.machine.newest('uid-of-web', 'main')).toBeUndefined();
});

test('a pod for which the node has no place for volumes is rejected (KL-5, KL-62)', async () => {
  const full = new PodkeepError('VOLUME_ATTACHMENT_LIMIT', 'too many volumes', 'wait', 'never');
  const stage = new RunStage({
    volumes: {
      waitForMounts: () => Promise.reject(full),
      waitForUnmount: () => Promise.resolve(),
      volumesExist: () => false,
    },
  });
  stage.create(livePod('web'));
  await stage.pass(2000);
  expect(stage.statusOf('web')).toMatchObject({
    phase: 'Failed',
    reason: 'VolumeAttachmentLimitExceeded',
    message: 'Pod was rejected: too many volumes',
  });
});

test('how long a pod took to start is measured once (F-19)', async () => {
  const measured: string[] = [];
  const stage = new RunStage({
    images: [],
    registry: new Map([['busy:1', 3000]]),
    sync: {
      observer: {
        workerStarted: (seconds) => measured.push(`worker ${seconds}`),
        podBecameRunning: (seconds) => measured.push(`running ${seconds}`),
      },
    },
  });
  const pod = livePod('web');
  const annotations = { 'kubernetes.io/config.seen': new Date(stage.clock.now()).toISOString() };
  stage.create({ ...pod, metadata: { ...pod.metadata, annotations } });
  stage.create({
    ...livePod('odd'),
    metadata: { ...livePod('odd').metadata, annotations: { 'kubernetes.io/config.seen': '?' } },
  });
  await stage.pass(300_000);
  expect(measured).toEqual(['worker 0', 'running 3']);
});
