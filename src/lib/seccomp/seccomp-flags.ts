/**
 * The flags of seccomp(2) that a profile asks for; the program itself cannot carry them. prctl(2)
 * installs a filter without flags.
 *
 * As in runc, a profile without a list of flags gets SPEC_ALLOW: containers keep speculative store
 * bypass as the machine has it, instead of paying for a mitigation that the kernel's own default no
 * longer adds. TSYNC changes nothing: a process that is about to exec has one thread.
 */
import type { SeccompFlag, SeccompProfile } from './seccomp-profile.ts';

const VALUES: Readonly<Record<SeccompFlag, number>> = {
  tsync: 0,
  log: 1 << 1,
  'spec-allow': 1 << 2,
  // compileSeccomp refuses it: it needs SCMP_ACT_NOTIFY.
  'wait-killable-recv': 0,
};

const DEFAULT_FLAGS: readonly SeccompFlag[] = ['spec-allow'];

export function seccompFlags({ flags }: SeccompProfile): number {
  return (flags ?? DEFAULT_FLAGS).reduce((all, flag) => all | VALUES[flag], 0);
}
