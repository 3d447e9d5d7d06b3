/**
 * Refuses to start on kernels that cannot mount by file descriptor. Without the calls `open_tree`,
 * `move_mount`, `openat2` and `mount_setattr`, a link in a volume could lead podkeep out of a container's
 * root; podkeep does not silently run containers with less isolation than requested.
 */
import { kernelTooOld } from './errors.ts';
import type { Trial } from './machine/machine-trial.ts';

/** The first Linux version that has all of these calls. */
const NEEDED = [5, 12] as const;
/** The syscall helper's error for a missing call. */
const MISSING = /Function not implemented|ENOSYS/;

/**
 * Throws KERNEL_TOO_OLD. On a newer kernel the calls are missing only if podkeep runs in a container that
 * blocks them.
 */
export function refuseOldKernel({ can, obstacle }: Trial, release: string): void {
  if (can.has('mounts') || !MISSING.test(obstacle)) return;
  const [major = 0, minor = 0] = release.split('.').map(Number.parseFloat);
  const isOld = major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
  if (isOld) throw kernelTooOld({ release, needed: NEEDED.join('.'), reason: obstacle });
}
