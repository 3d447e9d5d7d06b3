/**
 * Computes the flags of seccomp(2) that a profile requests. They are not part of the program; prctl(2)
 * installs a filter without flags.
 *
 * As in runc, a profile without a list of flags gets SPEC_ALLOW: speculative store bypass stays as the
 * machine has it, without the cost of a mitigation that newer kernels no longer add by default. TSYNC has no
 * effect, because a process that is about to exec has one thread.
 */
import type { SeccompFlag, SeccompProfile } from './seccomp-profile.ts';

const VALUES: Readonly<Record<SeccompFlag, number>> = {
  tsync: 0,
  log: 1 << 1,
  'spec-allow': 1 << 2,
  // Needs SCMP_ACT_NOTIFY, which compileSeccomp refuses.
  'wait-killable-recv': 0,
};

const DEFAULT_FLAGS: readonly SeccompFlag[] = ['spec-allow'];

export function seccompFlags({ flags }: SeccompProfile): number {
  return (flags ?? DEFAULT_FLAGS).reduce((all, flag) => all | VALUES[flag], 0);
}
