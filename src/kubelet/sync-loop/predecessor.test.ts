import { expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { NodePodManager } from '../pod-manager/pod-manager.ts';
import { predecessorEnded } from './predecessor.ts';

const young = pod('web', { uid: 'young', static: true });

/** A pod of this name runs, and no source has it. */
function makeHarness(name = 'web') {
  const clock = new VirtualClock();
  const pods = new NodePodManager();
  pods.update(young);
  const sandboxes = [{ id: 's', ready: true, attempt: 0, hostNetwork: false }];
  const seen = { sandboxes, containers: [], ips: [] };
  const world = { isThere: true, areSourcesReady: true, isBroken: false };
  const list = async () => {
    if (world.isBroken) throw new Error('it does not answer');
    return world.isThere ? [{ uid: 'old', name, namespace: 'default', pod: seen }] : [];
  };
  const areSourcesReady = (): boolean => world.areSourcesReady;
  const deps = { clock, log: silentLog, runtime: { list }, pods, areSourcesReady };
  const abort = new AbortController();
  const story: string[] = [];
  const begin = (one = young): void => {
    void predecessorEnded(deps, one, abort.signal).then(
      () => story.push(`begins at ${clock.monotonic()}`),
      () => story.push('never begins'),
    );
  };
  return { clock, pods, world, abort, story, begin };
}

test('a static pod starts when nothing of its predecessor runs', async () => {
  const { clock, world, story, begin } = makeHarness();
  begin();
  await clock.pass(60_000);
  expect(story).toEqual([]);
  world.isThere = false;
  await clock.pass(200);
  expect(story).toEqual(['begins at 60200']);
});

test('a pod with a unique name, or from the API, starts at once', async () => {
  const other = makeHarness('other');
  other.begin();
  await other.clock.pass(0);
  expect(other.story).toEqual(['begins at 0']);
  const { clock, story, begin } = makeHarness();
  begin(pod('web', { uid: 'young' }));
  await clock.pass(0);
  expect(story).toEqual(['begins at 0']);
});

test('sources that do not report are waited for ten seconds: this may be the pod that runs the API server', async () => {
  const { clock, world, story, begin } = makeHarness();
  world.areSourcesReady = false;
  begin();
  await clock.pass(60_000);
  expect(story).toEqual(['begins at 10000']);
});

test('a pod does not wait if the runtime cannot be listed, or if the pod is not desired any more', async () => {
  const { clock, pods, world, story, begin } = makeHarness();
  begin();
  await clock.pass(1000);
  pods.remove(young);
  await clock.pass(200);
  world.isBroken = true;
  pods.update(young);
  begin();
  await clock.pass(0);
  expect(story).toEqual(['begins at 1200', 'begins at 1200']);
});

test('stopping podkeep ends the wait', async () => {
  const { clock, abort, story, begin } = makeHarness();
  begin();
  await clock.pass(1000);
  abort.abort();
  await clock.pass(0);
  expect(story).toEqual(['never begins']);
});
