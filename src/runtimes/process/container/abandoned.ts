/**
 * Ends what still runs of a container whose record is lost.
 *
 * Records are written atomically, so only a broken disk or a manual edit can cause this. Such a container
 * could never be named again, and its next run would find the last one still there.
 */
import type { Clock } from '../../../ports/clock.ts';
import { claimForRemoval, readClaim } from './init-notes.ts';
import type { Machine } from '../machine/machine.ts';
import { isAlive, killFamily } from '../machine/proc-table.ts';

const GONE_STEP_MS = 4;
const GONE_STEPS_MAX = 500;

/** Returns when its first process is gone, and with it all that the kernel ends. */
export async function endAbandoned(
  folder: string,
  { bootId, isLinux }: Pick<Machine, 'bootId' | 'isLinux'>,
  clock: Clock,
): Promise<void> {
  // An init that has yet to come finds that it must not run.
  claimForRemoval(folder, clock.now());
  const claim = readClaim(folder);
  if (!claim || claim.bootId !== bootId) return;
  const { init } = claim;
  if (isAlive(init, isLinux)) killFamily(claim, isLinux);
  for (let step = 0; step < GONE_STEPS_MAX && isAlive(init, isLinux); step++) {
    await new Promise<void>((resolve) => clock.after(GONE_STEP_MS, resolve));
  }
}
