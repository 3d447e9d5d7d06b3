/**
 * The shortest histories in which podkeep broke an invariant. A test that is marked as failing stands
 * for a gap that is still open; whoever mends it finds the test complaining, and unmarks it.
 *
 * The open ones cannot happen in the larger histories, because the simulated sources of pods are
 * careful (see sources.ts). With the gaps closed they need not be any more.
 */
import { expect, test } from 'vitest';
import type { Pod } from '../../src/api/pod.ts';
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
import { mirrorOf, staticPod } from './pod-templates.ts';
import { checkStep } from './step-checks.ts';
import { World } from './world.ts';

const FILE = 'static.yaml';

/** A world without faults, in which one static pod has run for a while. */
async function worldWithStaticPod(): Promise<{ world: World; pod: Pod }> {
  const world = new World(1, false);
  world.weather.clearUp();
  world.clock.onStep = () => checkStep(world);
  const pod = staticPod('static', world.newUid('static'), new Dice(1, 'pod'));
  world.manifests.write(FILE, pod);
  world.startPodkeep();
  await world.clock.pass(20_000);
  expect(world.runtime.records.isAlive(pod.metadata.uid ?? '')).toBe(true);
  return { world, pod };
}

test.fails('4: a static pod waits for the one of its full name that runs since before a restart (PW-80)', async () => {
  const { world } = await worldWithStaticPod();
  world.crashPodkeep();
  world.manifests.write(FILE, staticPod('static', world.newUid('static'), new Dice(2, 'pod')));
  world.startPodkeep();
  await world.clock.pass(10_000);
  expect(world.chronicle.breach).toBeNull();
});

test.fails('9: a static pod that runs since before a restart is stopped if it is killed at once (V-6)', async () => {
  const { world, pod } = await worldWithStaticPod();
  world.crashPodkeep();
  world.startPodkeep();
  const completed = world.kills.asked(pod.metadata.uid ?? '');
  world.life?.workers.updatePod({ updateType: 'kill', pod, kill: { completed } });
  await world.clock.pass(10_000);
  expect(world.chronicle.breach).toBeNull();
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

  // The manifest is moved away: a status of the pod finds nothing to be written to.
  status.setPodStatus(pod, { phase: 'Pending' });
  await clock.pass(1000);
  status.apiPodSeen(mirror);
  // It is moved back. The mirror is the same, so that the watch has nothing more to tell of it.
  pods.set(pod, mirror);
  status.apiPodSeen(mirror);
  status.setPodStatus(pod, { phase: 'Running' });
  await clock.pass(60_000);
  expect(api.findByUid('mirror.2')?.status?.phase).toBe('Running');
});
