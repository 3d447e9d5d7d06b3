/** How containers start, and what is reported when they do not (KL-2, KL-41 to KL-54). */
import { expect, test } from 'vitest';
import type { ContainerStatus } from '../../../src/api/pod.ts';
import { PodkeepError } from '../../../src/lib/errors.ts';
import { scriptsOf } from '../../../src/runtimes/simulated/script.ts';
import { livePod } from '../runs/live-pod.ts';
import { RunHarness } from '../runs/run-harness.ts';

function first(harness: RunHarness, name = 'web'): ContainerStatus | undefined {
  return harness.statusOf(name)?.containerStatuses?.[0];
}

function notified(harness: RunHarness, reason: string): readonly string[] {
  return harness.events.filter((event) => event.reason === reason).map(({ message }) => message);
}

test('a missing image is pulled, and the event has the duration', async () => {
  const harness = new RunHarness({ images: [], registry: new Map([['busy:1', 1500]]) });
  harness.create(livePod('web'));
  await harness.pass(1000);
  expect(first(harness)?.state?.waiting?.reason).toBe('ContainerCreating');
  await harness.pass(1000);
  expect(first(harness)?.state?.running).toBeDefined();
  expect(notified(harness, 'Pulling')).toEqual(['Pulling image "busy:1"']);
  expect(notified(harness, 'Pulled')).toEqual([
    'Successfully pulled image "busy:1" in 1.5s (1.5s including waiting). Image size: 4000000 bytes.',
  ]);
});

test('a pod with a sandbox is ready to start containers while its images are pulled (KL-7, E-17)', async () => {
  const harness = new RunHarness({ images: [], registry: new Map([['busy:1', 60_000]]) });
  harness.create(livePod('web'));
  await harness.pass(2000);
  expect(notified(harness, 'Pulled')).toEqual([]);
  const { conditions } = harness.statusOf('web') ?? {};
  expect(conditions?.find(({ type }) => type === 'PodReadyToStartContainers')?.status).toBe('True');
});

test('pulls are serialized, and report how long they waited', async () => {
  const registry = new Map([
    ['busy:1', 1000],
    ['other:1', 1000],
  ]);
  const harness = new RunHarness({ images: [], registry });
  await harness.pass(10);
  harness.create(livePod('a'));
  harness.create(livePod('b', { containers: [{ name: 'main', image: 'other:1' }] }));
  await harness.pass(5000);
  expect(
    notified(harness, 'Pulled').map((message) => /in (.*)\. Image/.exec(message)?.[1]),
  ).toEqual(['1s (1s including waiting)', '1s (2s including waiting)']);
});

test('a pull that fails backs off 10 s, 20 s, and so on, and starts when the registry is back (KL-54)', async () => {
  let isDown = true;
  const harness = new RunHarness({
    images: [],
    faults: (what) => (what === 'pullImage' && isDown ? { error: 'no route' } : undefined),
  });
  harness.create(livePod('web'));
  await harness.pass(5000);
  expect(first(harness)?.state?.waiting).toEqual({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "busy:1": ErrImagePull: no route',
  });
  await harness.pass(600_000);
  const pulls = notified(harness, 'Pulling').length;
  expect(pulls).toBeGreaterThan(4);
  expect(pulls).toBeLessThan(8);
  isDown = false;
  await harness.pass(320_000);
  expect(first(harness)?.state?.running).toBeDefined();
});

test('an unavailable registry has its own reason', async () => {
  const harness = new RunHarness({
    images: [],
    faults: (what) =>
      what === 'pullImage' ? { error: 'RegistryUnavailable: 503 from mirror' } : undefined,
  });
  harness.create(livePod('web'));
  await harness.pass(12_000);
  const reasons = harness.history
    .get('web')
    ?.map(({ status }) => status.containerStatuses?.[0]?.state?.waiting);
  expect(reasons).toContainEqual({
    reason: 'RegistryUnavailable',
    message: 'image pull failed for busy:1 because the registry is unavailable: 503 from mirror',
  });
});

test('a crash loop backs off up to five minutes, and starts over after a good run (KL-51, KL-52)', async () => {
  const starts: number[] = [];
  let lifeMs = 1000;
  const harness = new RunHarness({ scripts: () => ({ lifeMs, exitCode: 1 }) });
  harness.machine.follow(({ type }) => {
    if (type === 'containerStarted') starts.push(harness.clock.monotonic());
  });
  harness.create(livePod('web'));
  await harness.pass(30 * 60_000);
  const waits = starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / 1000));
  // Each wait counts from the end of a run of one second.
  expect(waits.slice(0, 8)).toEqual([1, 11, 21, 41, 81, 161, 301, 301]);
  const before = starts.length;
  lifeMs = 20 * 60_000;
  await harness.pass(6 * 60_000);
  expect(starts.length).toBe(before + 1);
  lifeMs = 1000;
  await harness.pass(20 * 60_000);
  // The next one starts immediately, and the one after that after ten seconds.
  const [long = 0, next = 0, after = 0] = starts.slice(before);
  expect([next - long, after - next].map((ms) => Math.round(ms / 1000))).toEqual([1200, 11]);
});

test('a crashing container waits as CrashLoopBackOff for the whole time, and not a moment longer (F-11, KL-6)', async () => {
  const harness = new RunHarness({ scripts: () => ({ lifeMs: 500, exitCode: 2 }) });
  harness.create(livePod('web'));
  await harness.pass(2000);
  expect(first(harness)?.state?.waiting?.message).toBe(
    'back-off 10s restarting failed container=main pod=web_rec(uid-of-web)',
  );
  await harness.pass(8900);
  expect(first(harness)?.state?.waiting?.reason).toBe('CrashLoopBackOff');
  await harness.pass(200);
  expect(first(harness)).toMatchObject({ restartCount: 2 });
});

test('a container that cannot be created is retried, and its status says why', async () => {
  const runs = [{ createError: 'no space left on device' }, {}];
  const harness = new RunHarness({ scripts: () => runs.shift() ?? {} });
  harness.create(livePod('web'));
  await harness.pass(15_000);
  const given = (harness.history.get('web') ?? []).map(
    ({ status }) => status.containerStatuses?.[0]?.state?.waiting,
  );
  expect(given).toContainEqual({
    reason: 'CreateContainerError',
    message: 'no space left on device',
  });
  expect(notified(harness, 'Failed')).toEqual(['Error: no space left on device']);
  expect(first(harness)?.state?.running).toBeDefined();
});

test('a postStart hook that fails ends its container, and the reason reveals no secrets (KL-44)', async () => {
  const container = {
    name: 'main',
    image: 'busy:1',
    lifecycle: { postStart: { exec: { command: ['warm', 'up'] } } },
  };
  const harness = new RunHarness({
    scripts: () => ({ stop: { exitCode: 0 }, exec: () => ({ exitCode: 3, stdout: 'password' }) }),
  });
  harness.create(livePod('web', { containers: [container] }));
  await harness.pass(1000);
  const given = (harness.history.get('web') ?? []).map(
    ({ status }) => status.containerStatuses?.[0]?.state?.waiting,
  );
  expect(given).toContainEqual({
    reason: 'PostStartHookError',
    message:
      'Exec lifecycle hook ([warm up]) for Container "main" in Pod "web_rec(uid-of-web)" failed - error: ' +
      `command 'warm up' exited with 3: password, message: "password"`,
  });
  expect(notified(harness, 'FailedPostStartHook')).toContain('PostStartHook failed');
  expect(notified(harness, 'Killing')).toContain('FailedPostStartHook');
  expect(JSON.stringify(harness.events)).not.toContain('password');
});

test('a hook that sleeps keeps the next container waiting', async () => {
  const containers = [
    { name: 'main', image: 'busy:1', lifecycle: { postStart: { sleep: { seconds: 5 } } } },
    { name: 'next', image: 'busy:1' },
  ];
  const harness = new RunHarness();
  harness.create(livePod('web', { containers }));
  await harness.pass(4900);
  expect(harness.machine.newest('uid-of-web', 'main')?.state).toBe('running');
  expect(harness.machine.newest('uid-of-web', 'next')).toBeUndefined();
  await harness.pass(200);
  expect(harness.statusOf('web')?.phase).toBe('Running');
});

test('an ephemeral container is started in a running pod, and sees its target container', async () => {
  const harness = new RunHarness();
  const pod = livePod('web');
  harness.create(pod);
  await harness.pass(2000);
  const current = harness.api.findByUid('uid-of-web');
  const ephemeralContainers = [
    { name: 'debugger', image: 'busy:1', targetContainerName: 'main' },
    { name: 'lost', image: 'busy:1', targetContainerName: 'nobody' },
  ];
  harness.api.put({ ...current, ...pod, spec: { ...pod.spec, ephemeralContainers } });
  await harness.pass(2000);
  const debug = harness.machine.newest('uid-of-web', 'debugger')?.options.config;
  expect(debug?.security.targetContainerId).toBe(first(harness)?.containerID);
  const [, lost] = harness.statusOf('web')?.ephemeralContainerStatuses ?? [];
  expect(lost?.state?.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'unable to find target container nobody',
  });
});

test('an init container that crashes holds back everything behind it', async () => {
  const initContainers = [{ name: 'init', image: 'busy:1' }];
  const harness = new RunHarness({
    scripts: scriptsOf({ containers: { init: { lifeMs: 100, exitCode: 1 } } }),
  });
  harness.create(livePod('web', { initContainers }));
  await harness.pass(60_000);
  const { phase, initContainerStatuses } = harness.statusOf('web') ?? {};
  expect(phase).toBe('Pending');
  expect(initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff');
  expect(harness.machine.newest('uid-of-web', 'main')).toBeUndefined();
});

test('a sandbox that cannot be created is reported, and retried (KL-1)', async () => {
  let isDown = true;
  const harness = new RunHarness({
    faults: (what) => (what === 'runSandbox' && isDown ? { error: 'no address left' } : undefined),
  });
  harness.create(livePod('web'));
  await harness.pass(1000);
  expect(notified(harness, 'FailedCreatePodSandBox')).toEqual([
    'Failed to create pod sandbox: no address left',
  ]);
  expect(harness.statusOf('web')?.phase).toBe('Pending');
  isDown = false;
  await harness.pass(15_000);
  expect(harness.statusOf('web')?.phase).toBe('Running');
});

test('without a network only pods with the host network start (KL-2)', async () => {
  let isNetworkReady = false;
  const harness = new RunHarness({ isNetworkReady: () => isNetworkReady });
  harness.create(livePod('web'));
  harness.create(livePod('agent', { hostNetwork: true }));
  await harness.pass(2000);
  expect(harness.statusOf('agent')).toMatchObject({ phase: 'Running', podIP: '192.168.0.2' });
  expect(harness.statusOf('web')?.phase).toBe('Pending');
  expect(notified(harness, 'NetworkNotReady')).toContain(
    'network is not ready: container runtime network not ready: ' +
      'NetworkReady=false reason:NoNetwork message:no network yet',
  );
  isNetworkReady = true;
  await harness.pass(7000);
  expect(harness.statusOf('web')?.phase).toBe('Running');
});

test('a runtime without events is relisted every second, and nothing is missed', async () => {
  const harness = new RunHarness({
    hasEvents: false,
    scripts: scriptsOf({ containers: { main: [{ lifeMs: 5000, exitCode: 1 }, {}] } }),
  });
  harness.create(livePod('web'));
  await harness.pass(2000);
  expect(harness.statusOf('web')?.phase).toBe('Running');
  await harness.pass(6000);
  expect(first(harness)).toMatchObject({ restartCount: 1, ready: true });
});

test('a container in the state unknown is stopped before it is started again', async () => {
  const harness = new RunHarness({ hasEvents: false });
  harness.create(livePod('web'));
  await harness.pass(2000);
  const lost = harness.machine.newest('uid-of-web', 'main');
  lost?.lose();
  // Such a change triggers no event (KL-87): the next sync of the pod finds it.
  await harness.pass(100_000);
  expect(lost?.state).toBe('exited');
  expect(notified(harness, 'Killing')).toEqual([
    'Container is in "unknown" state, try killing it before restart',
  ]);
  expect(first(harness)).toMatchObject({ ready: true });
});

test('a pod past its deadline is failed and stopped (KL-24)', async () => {
  const harness = new RunHarness();
  harness.create(livePod('web', { activeDeadlineSeconds: 100 }));
  await harness.pass(200_000);
  expect(harness.statusOf('web')).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  expect(notified(harness, 'DeadlineExceeded')).toEqual([
    'Pod was active on the node longer than the specified deadline',
  ]);
  expect(harness.machine.newest('uid-of-web', 'main')?.state).toBe('exited');
});

test('missing pull secrets are reported, and do not prevent a try (KL-2)', async () => {
  const pullSecrets = {
    find: () => Promise.resolve({ missing: ['a', 'b'], credentialsFor: () => [] }),
  };
  const harness = new RunHarness({ pullSecrets });
  harness.create(livePod('web'));
  await harness.pass(1000);
  expect(harness.statusOf('web')?.phase).toBe('Running');
  expect(notified(harness, 'FailedToRetrieveImagePullSecret')).toContain(
    'Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
  );
});

test('a changed image restarts its container, and nothing else', async () => {
  const containers = [
    { name: 'main', image: 'busy:1' },
    { name: 'other', image: 'busy:1' },
  ];
  const harness = new RunHarness();
  const pod = livePod('web', { containers });
  harness.create(pod);
  await harness.pass(2000);
  const current = harness.api.findByUid('uid-of-web');
  const changed = containers.map((each) =>
    each.name === 'main' ? { ...each, image: 'busy:2' } : each,
  );
  harness.api.put({ ...current, ...pod, spec: { ...pod.spec, containers: changed } });
  await harness.pass(2000);
  const [main, other] = harness.statusOf('web')?.containerStatuses ?? [];
  expect(main).toMatchObject({ image: 'busy:2', restartCount: 1 });
  expect(other).toMatchObject({ image: 'busy:1', restartCount: 0 });
  expect(notified(harness, 'Killing')).toEqual([
    'Container main definition changed, will be restarted',
  ]);
});

test('a container with runAsNonRoot that would be root is not created', async () => {
  const containers = [
    { name: 'main', image: 'busy:1', securityContext: { runAsNonRoot: true, runAsUser: 0 } },
  ];
  const harness = new RunHarness();
  harness.create(livePod('web', { containers }));
  await harness.pass(2000);
  expect(first(harness)?.state?.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message:
      `container's runAsUser breaks non-root policy (pod: "web_rec(uid-of-web)", ` +
      'container: main)',
  });
  expect(harness.machine.newest('uid-of-web', 'main')).toBeUndefined();
});

test('a pod is rejected if the node has no folder for its volumes (KL-5, KL-62)', async () => {
  const full = new PodkeepError('VOLUME_ATTACHMENT_LIMIT', 'too many volumes', 'wait', 'never');
  const harness = new RunHarness({
    volumes: {
      waitForMounts: () => Promise.reject(full),
      waitForUnmount: () => Promise.resolve(),
      volumesExist: () => false,
    },
  });
  harness.create(livePod('web'));
  await harness.pass(2000);
  expect(harness.statusOf('web')).toMatchObject({
    phase: 'Failed',
    reason: 'VolumeAttachmentLimitExceeded',
    message: 'Pod was rejected: too many volumes',
  });
});

test('the start duration of a pod is measured once (F-19)', async () => {
  const measured: string[] = [];
  const harness = new RunHarness({
    images: [],
    registry: new Map([['busy:1', 3000]]),
    podStarts: {
      workerStarted: (seconds) => measured.push(`worker ${seconds}`),
      podBecameRunning: (seconds) => measured.push(`running ${seconds}`),
    },
  });
  const pod = livePod('web');
  const annotations = { 'kubernetes.io/config.seen': new Date(harness.clock.now()).toISOString() };
  harness.create({ ...pod, metadata: { ...pod.metadata, annotations } });
  harness.create({
    ...livePod('odd'),
    metadata: { ...livePod('odd').metadata, annotations: { 'kubernetes.io/config.seen': '?' } },
  });
  await harness.pass(300_000);
  expect(measured).toEqual(['worker 0', 'running 3']);
});
