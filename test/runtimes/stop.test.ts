/** A stop without grace kills, whatever is heard of the container between the call and the signal. */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Stage, until } from '../suites/pod-runtime/stage.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { openForTest } from './process-runtime.ts';

/** Says that it lives, again and again, and ends in its own way when it is asked. */
const polite = ['sh', '-c', 'trap "exit 7" TERM; while :; do echo lives; sleep 0.01; done'];

test.each(['auto', 'none'] as const)(
  'late news of a container that is to be killed do not ask it to end (isolation %s)',
  async (isolation) => {
    const clock = new VirtualClock();
    const open = await openForTest({ isolation, clock });
    const stage = new Stage(open);
    onTestFinished(() => whilePassing(clock, open.close()));
    const id = await stage.start({ command: polite });
    // Time stands still, so the kill is on its way for as long as it takes.
    const stopped = stage.stop(id, 0);
    touchNotes(open.runtimeFolder);
    const lives = async (): Promise<number> => (await stage.log()).split('lives').length;
    const before = await lives();
    await until(async () => (await lives()) > before + 3 || (await isOver(stage, id)));
    await whilePassing(clock, stopped);
    expect(await stage.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
  },
);

/** As if init had written something just now. */
function touchNotes(runtimeFolder: string): void {
  const now = new Date();
  utimesSync(path.join(runtimeFolder, 'pods/pod-1/main-0/state'), now, now);
}

async function isOver(stage: Stage, id: string): Promise<boolean> {
  return (await stage.container(id)).state === 'exited';
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
