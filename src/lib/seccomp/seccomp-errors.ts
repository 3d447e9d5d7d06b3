/** The errors that a seccomp profile can cause. */
import { defineError } from '../errors.ts';

/** One fault in the text of a profile. */
export interface ProfileFault {
  /** Such as `syscalls[3].args[0].op`; empty for the profile itself. */
  readonly path: string;
  readonly reason: string;
}

export const profileInvalid = defineError<{ faults: readonly ProfileFault[] }>({
  code: 'SECCOMP_PROFILE_INVALID',
  retry: 'never',
  message: ({ faults }) =>
    `the seccomp profile is invalid: ${faults
      .map(({ path, reason }) => `${path === '' ? 'the profile' : path} ${reason}`)
      .join('; ')}`,
  hint: () => 'Correct each field that is named; the OCI runtime-spec describes linux.seccomp.',
});

export const profileUnsupported = defineError<{ reasons: readonly string[] }>({
  code: 'SECCOMP_PROFILE_UNSUPPORTED',
  retry: 'never',
  message: ({ reasons }) => `the seccomp profile cannot be applied: ${reasons.join('; ')}`,
  hint: () => 'Change the profile, or use the profile RuntimeDefault.',
});
