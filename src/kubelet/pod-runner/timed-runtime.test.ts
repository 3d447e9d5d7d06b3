import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { SimulatedMachine } from '../../runtimes/simulated/machine.ts';
import { SimulatedRuntime } from '../../runtimes/simulated/simulated-runtime.ts';
import { timedRuntime } from './timed-runtime.ts';

const NEVER = new AbortController().signal;

function stage(hangs: boolean, hasEvents = true) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine({ clock });
  const runtime = new SimulatedRuntime({ machine, hasEvents, faults: () => ({ hangs }) });
  return { clock, runtime: timedRuntime(runtime, clock, 1000) };
}

async function reasonOf(clock: VirtualClock, ms: number, call: Promise<unknown>): Promise<string> {
  const reason = call.then(() => 'answered', String);
  await clock.pass(ms);
  return Promise.race([reason, Promise.resolve('waiting')]);
}

test('an answer that comes in time is passed on, and leaves no timer behind', async () => {
  const { clock, runtime } = stage(false);
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
])('a runtime that does not answer to %s is given up', async (what, call) => {
  const { clock, runtime } = stage(true);
  expect(await reasonOf(clock, 1000, call(runtime))).toBe(
    `PodkeepError: the container runtime did not answer to ${what} within 1 s: ` +
      'context deadline exceeded',
  );
});

test('a stop has its grace on top, and a pull takes as long as it takes', async () => {
  const { clock, runtime } = stage(true);
  const stop = runtime.stopContainer('a', 30, NEVER);
  expect(await reasonOf(clock, 30_000, stop)).toBe('waiting');
  expect(await reasonOf(clock, 1000, stop)).toContain('stopContainer within 31 s');
  const pull = runtime.images.pull('busy:1', null, NEVER);
  expect(await reasonOf(clock, 3_600_000, pull)).toBe('waiting');
});

test('what a runtime leaves out stays out', () => {
  expect('follow' in stage(false, true).runtime).toBe(true);
  expect('follow' in stage(false, false).runtime).toBe(false);
  expect('connectPort' in stage(false).runtime).toBe(false);
});
