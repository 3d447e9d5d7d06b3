/**
 * The shortest histories in which podkeep broke an invariant. A test that is marked as failing stands for
 * a gap that is still open; once the gap is closed, the mark makes the test fail and must be removed.
 *
 * The open ones cannot happen in the larger histories, because the simulated sources of pods are careful
 * (see sources.ts). Podkeep itself avoids the first of them: its workers cannot know what has run since
 * before a restart, and get a static pod only when nothing of its name runs
 * (kubelet/sync-loop/predecessor.ts). The last two were closed in the recipes (see container-starter.ts,
 * and core/pod-actions/ended-containers.ts): neither plan nor phase shows what podkeep has reported.
 */
import { expect, test } from 'vitest';
import type { Container, Pod } from '../../src/api/pod.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import { MemoryApi } from '../support/memory-api.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Dice } from './dice.ts';
import { mirrorOf, NAMESPACE, staticPod } from './pod-templates.ts';
import { checkStep } from './step-checks.ts';
import { problems } from './tail.ts';
import { World } from './world.ts';

const FILE = 'static.yaml';

function fairWorld(): World {
  const world = new World(1, false);
  world.weather.clearUp();
  world.clock.onStep = () => checkStep(world);
  return world;
}

/** A world without faults, in which one static pod has run for a while. */
async function worldWithStaticPod(): Promise<{ world: World; pod: Pod }> {
  const world = fairWorld();
  const pod = staticPod('static', world.newUid('static'), new Dice(1, 'pod'));
  world.manifests.write(FILE, pod);
  world.startPodkeep();
  await world.clock.pass(20_000);
  expect(world.runtime.records.isAlive(pod.metadata.uid ?? '')).toBe(true);
  return { world, pod };
}

test.fails('4: a static pod waits for one of its full name that runs since before a restart (PW-80)', async () => {
  const { world } = await worldWithStaticPod();
  world.crashPodkeep();
  world.manifests.write(FILE, staticPod('static', world.newUid('static'), new Dice(2, 'pod')));
  world.startPodkeep();
  await world.clock.pass(10_000);
  expect(world.journal.breach).toBeNull();
});

test.fails('9: a static pod from before a restart is stopped if it is killed immediately (V-6)', async () => {
  const { world, pod } = await worldWithStaticPod();
  world.crashPodkeep();
  world.startPodkeep();
  const completed = world.kills.asked(pod.metadata.uid ?? '');
  world.life?.workers.updatePod({ updateType: 'kill', pod, kill: { completed } });
  await world.clock.pass(10_000);
  expect(world.journal.breach).toBeNull();
});

test('7: a mirror that was seen before its static pod came back gets its status', async () => {
  const clock = new VirtualClock();
  const api = new MemoryApi({ clock });
  const pods = new MemoryPodManager();
  const status = new StatusManager({
    clock,
    random: { next: () => 0 },
    api,
    pods,
    probes: noProbes,
    decisions: silentDecisions,
    log: silentLog,
    observer: silentStatusObserver,
    couldHaveRunningContainers: () => true,
  });
  status.start();
  const pod = staticPod('static', 'static.1', new Dice(1, 'pod'));
  const mirror = api.put(mirrorOf(pod, 'mirror.2'));

  // The manifest is moved away: a status of the pod has no object to be written to.
  status.setPodStatus(pod, { phase: 'Pending' });
  await clock.pass(1000);
  status.apiPodSeen(mirror);
  // It is moved back. The mirror is the same, so the watch sends no event for it.
  pods.set(pod, mirror);
  status.apiPodSeen(mirror);
  status.setPodStatus(pod, { phase: 'Running' });
  await clock.pass(60_000);
  expect(api.findByUid('mirror.2')?.status?.phase).toBe('Running');
});

const FIRST: Container = { name: 'c0', image: 'app:1' };
const SECOND: Container = { name: 'c1', image: 'app:1' };

function jobPod(world: World, restartPolicy: 'OnFailure' | 'Never'): Pod {
  return {
    metadata: { name: 'job', namespace: NAMESPACE, uid: world.newUid('job'), generation: 1 },
    spec: { nodeName: 'node-1', restartPolicy, containers: [FIRST, SECOND] },
    status: { phase: 'Pending' },
  };
}

test.each(['OnFailure', 'Never'] as const)(
  '12: a container that ended for good, and is started late for a podkeep that crashed, is stopped (%s)',
  async (restartPolicy) => {
    const world = fairWorld();
    const { api, runtime, clock } = world;
    const pod = jobPod(world, restartPolicy);
    const { uid = '' } = pod.metadata;
    api.create(pod);
    world.startPodkeep();
    await clock.pass(10_000);

    world.crashPodkeep();
    const c0 = runtime.records.running(uid).find(({ name }) => name === 'c0');
    runtime.exit(uid, c0?.id ?? '', 0);
    world.startPodkeep();
    await clock.pass(5000);
    expect(api.findByUid(uid)?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);

    const late = runtime.start(uid, c0?.sandboxID ?? '', FIRST, 1);
    await clock.pass(60_000);
    await late;
    expect(world.journal.breach).toBeNull();
    expect([...problems(world)]).toEqual([]);
    // Whatever happened to the late one, the other has run all the time, and the API shows it.
    const { phase, containerStatuses } = api.findByUid(uid)?.status ?? {};
    expect(phase).toBe('Running');
    expect(containerStatuses?.[1]).toMatchObject({ ready: true, restartCount: 0 });
  },
);

test('12: a pod that may not restart, and was stopped before all of it ran, is finished after a restart', async () => {
  const world = fairWorld();
  const { api, runtime, clock } = world;
  const pod = jobPod(world, 'Never');
  const { uid = '' } = pod.metadata;
  api.create(pod);
  // An earlier podkeep started the first container, and stopped the pod before it recorded that.
  const sandbox = runtime.createSandbox(pod, 0);
  await clock.pass(1000);
  const started = runtime.start(uid, await sandbox, FIRST, 0);
  await clock.pass(1000);
  await started;
  runtime.stopSandboxes(uid);

  world.startPodkeep();
  await clock.pass(60_000);
  expect(world.journal.breach).toBeNull();
  expect([...problems(world)]).toEqual([]);
  expect(api.findByUid(uid)?.status?.phase).toBe('Failed');
});
