/**
 * Kills the processes of a container whose record cannot be read.
 *
 * Records are written atomically, so only a broken disk or a manual edit can cause this. Without its record
 * podkeep could never stop the container, and the next run of the same container would find the old one still
 * running.
 */
import type { Clock } from '../../../ports/clock.ts';
import { claimForRemoval, readClaim } from './init-notes.ts';
import type { Machine } from '../machine/machine.ts';
import { isAlive, killFamily } from '../machine/proc-table.ts';

const GONE_STEP_MS = 4;
const GONE_STEPS_MAX = 500;

/** Returns when the container's first process is gone, and with it its process namespace. */
export async function endAbandoned(
  folder: string,
  { bootId, isLinux }: Pick<Machine, 'bootId' | 'isLinux'>,
  clock: Clock,
): Promise<void> {
  // An init that has not started yet finds this claim and exits.
  claimForRemoval(folder, clock.now());
  const claim = readClaim(folder);
  if (!claim || claim.bootId !== bootId) return;
  const { init } = claim;
  if (isAlive(init, isLinux)) killFamily(claim, isLinux);
  for (let step = 0; step < GONE_STEPS_MAX && isAlive(init, isLinux); step++) {
    await new Promise<void>((resolve) => clock.after(GONE_STEP_MS, resolve));
  }
}
