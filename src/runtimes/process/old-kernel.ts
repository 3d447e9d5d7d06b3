/**
 * Refuses kernels that cannot make the mounts of a container by descriptor. Without those calls (`open_tree`,
 * `move_mount`, `openat2`, `mount_setattr`) a link in a volume could lead podkeep out of a container, so it
 * refuses to start there rather than run containers without a requested boundary.
 */
import { kernelTooOld } from './errors.ts';
import type { Trial } from './machine/machine-trial.ts';

/** The first version that has all of them. */
const NEEDED = [5, 12] as const;
/** The helper's error for a missing call. */
const MISSING = /Function not implemented|ENOSYS/;

/**
 * Throws KERNEL_TOO_OLD. A newer kernel that lacks the calls is inside of a container that withholds them.
 */
export function refuseOldKernel({ can, obstacle }: Trial, release: string): void {
  if (can.has('mounts') || !MISSING.test(obstacle)) return;
  const [major = 0, minor = 0] = release.split('.').map(Number.parseFloat);
  const isOld = major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
  if (isOld) throw kernelTooOld({ release, needed: NEEDED.join('.'), reason: obstacle });
}
