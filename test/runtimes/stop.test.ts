/** A stop without a grace period kills, whatever the container reports between the call and the signal. */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { openForTest } from './process-runtime.ts';

/** Prints that it is alive, again and again, and exits in its own way when it is asked to stop. */
const polite = ['sh', '-c', 'trap "exit 7" TERM; while :; do echo lives; sleep 0.01; done'];

test.each(['auto', 'none'] as const)(
  'a late report of a container that is to be killed does not turn the kill into a stop (isolation %s)',
  async (isolation) => {
    const clock = new VirtualClock();
    const open = await openForTest({ isolation, clock });
    const harness = new TestHarness(open);
    onTestFinished(() => whilePassing(clock, open.close()));
    const id = await harness.start({ command: polite });
    // Time stands still, so the kill stays under way as long as needed.
    const stopped = harness.stop(id, 0);
    touchNotes(open.runtimeFolder);
    const lives = async (): Promise<number> => (await harness.log()).split('lives').length;
    const before = await lives();
    await until(async () => (await lives()) > before + 3 || (await isOver(harness, id)));
    await whilePassing(clock, stopped);
    expect(await harness.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
  },
);

/** As if init had written something just now. */
function touchNotes(runtimeFolder: string): void {
  const now = new Date();
  utimesSync(path.join(runtimeFolder, 'pods/pod-1/main-0/state'), now, now);
}

async function isOver(harness: TestHarness, id: string): Promise<boolean> {
  return (await harness.container(id)).state === 'exited';
}

async function whilePassing(clock: VirtualClock, work: Promise<void>): Promise<void> {
  let isDone = false;
  void work.finally(() => (isDone = true));
  await until(async () => {
    await clock.pass(5);
    return isDone;
  });
  await work;
}
