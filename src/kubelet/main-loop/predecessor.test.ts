import { expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { NodePodManager } from '../pod-manager/pod-manager.ts';
import { predecessorEnded } from './predecessor.ts';

const young = pod('web', { uid: 'young', static: true });

/** Something of this name runs, and nobody wants it. */
function makeStage(name = 'web') {
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
  const room = { clock, log: silentLog, runtime: { list }, pods, areSourcesReady };
  const abort = new AbortController();
  const story: string[] = [];
  const begin = (one = young): void => {
    void predecessorEnded(room, one, abort.signal).then(
      () => story.push(`begins at ${clock.monotonic()}`),
      () => story.push('never begins'),
    );
  };
  return { clock, pods, world, abort, story, begin };
}

test('a static pod begins when nothing of the one before it runs', async () => {
  const { clock, world, story, begin } = makeStage();
  begin();
  await clock.pass(60_000);
  expect(story).toEqual([]);
  world.isThere = false;
  await clock.pass(200);
  expect(story).toEqual(['begins at 60200']);
});

test('one that is alone with its name, or comes from the API, begins at once', async () => {
  const other = makeStage('other');
  other.begin();
  await other.clock.pass(0);
  expect(other.story).toEqual(['begins at 0']);
  const { clock, story, begin } = makeStage();
  begin(pod('web', { uid: 'young' }));
  await clock.pass(0);
  expect(story).toEqual(['begins at 0']);
});

test('an API server that says nothing is waited for ten seconds: this may be the pod that runs it', async () => {
  const { clock, world, story, begin } = makeStage();
  world.areSourcesReady = false;
  begin();
  await clock.pass(60_000);
  expect(story).toEqual(['begins at 10000']);
});

test('nobody waits for what cannot be asked, or for a pod that is not wanted any more', async () => {
  const { clock, pods, world, story, begin } = makeStage();
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

test('with podkeep the wait ends', async () => {
  const { clock, abort, story, begin } = makeStage();
  begin();
  await clock.pass(1000);
  abort.abort();
  await clock.pass(0);
  expect(story).toEqual(['never begins']);
});
