import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { SimulatedMachine } from '../../runtimes/simulated/machine.ts';
import { SimulatedRuntime } from '../../runtimes/simulated/simulated-runtime.ts';
import { timedRuntime } from './timed-runtime.ts';

const NEVER = new AbortController().signal;

function harness(hangs: boolean, hasEvents = true) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine({ clock });
  const runtime = new SimulatedRuntime({ machine, hasEvents, faults: () => ({ hangs }) });
  return { clock, runtime: timedRuntime(runtime, { clock }, 1000) };
}

async function reasonOf(clock: VirtualClock, ms: number, call: Promise<unknown>): Promise<string> {
  const reason = call.then(() => 'answered', String);
  await clock.pass(ms);
  return Promise.race([reason, Promise.resolve('waiting')]);
}

test('an answer in time is passed on, and leaves no timer behind', async () => {
  const { clock, runtime } = harness(false);
  expect(await runtime.list()).toEqual([]);
  expect(await runtime.inspect('a')).toEqual({ sandboxes: [], containers: [], ips: [] });
  expect((await runtime.version()).name).toBe('simulated');
  await clock.pass(0);
  expect(clock.pending).toBe(0);
});

test.each<[string, (runtime: PodRuntime) => Promise<unknown>]>([
  ['list', (runtime) => runtime.list()],
  ['inspect', (runtime) => runtime.inspect('a')],
  ['startContainer', (runtime) => runtime.startContainer('a')],
  ['removeContainer', (runtime) => runtime.removeContainer('a')],
  ['findImage', (runtime) => runtime.images.find('busy:1')],
])('a call of %s that the runtime does not answer times out', async (what, call) => {
  const { clock, runtime } = harness(true);
  expect(await reasonOf(clock, 1000, call(runtime))).toBe(
    `PodkeepError: the container runtime did not answer to ${what} within 1 s: ` +
      'context deadline exceeded',
  );
});

test('a stop has its grace period on top, and a pull has no time limit', async () => {
  const { clock, runtime } = harness(true);
  const stop = runtime.stopContainer('a', 30, NEVER);
  expect(await reasonOf(clock, 30_000, stop)).toBe('waiting');
  expect(await reasonOf(clock, 1000, stop)).toContain('stopContainer within 31 s');
  const pull = runtime.images.pull('busy:1', null, NEVER);
  expect(await reasonOf(clock, 3_600_000, pull)).toBe('waiting');
});

test('optional methods that a runtime does not have stay absent', () => {
  expect('follow' in harness(false, true).runtime).toBe(true);
  expect('follow' in harness(false, false).runtime).toBe(false);
  expect('connectPort' in harness(false).runtime).toBe(false);
});

test('the runtime decides whether an image can be pulled, if it has `isLocal`', () => {
  const clock = new VirtualClock();
  const plain = new SimulatedRuntime({ machine: new SimulatedMachine({ clock }) });
  expect(timedRuntime(plain, { clock }, 1000).images).not.toHaveProperty('isLocal');
  const images = {
    find: () => Promise.resolve(null),
    pull: () => Promise.reject(new Error('nothing to pull')),
    isLocal: (image: string) => image === 'mine',
    list: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
    usage: () => Promise.resolve(null),
  };
  const local = Object.assign(Object.create(plain) as PodRuntime, { images });
  expect(timedRuntime(local, { clock }, 1000).images.isLocal?.('mine')).toBe(true);
});
