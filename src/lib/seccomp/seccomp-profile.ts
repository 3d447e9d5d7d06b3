/**
 * The type of a parsed seccomp profile: which system calls a container may make, and what happens to the
 * others. Profile files have several spellings for the same thing; here each has one form.
 *
 * A profile does not depend on a machine: `compileSeccomp` applies the conditions of its rules to a
 * processor, a kernel and the capabilities of one container.
 */
export type SeccompProcessor = 'x64' | 'arm64' | 'riscv64';

export interface SeccompProfile {
  /** The action for every system call that no rule decides. */
  readonly defaultAction: SeccompAction;
  /** Null: the profile has no list of flags; `seccompFlags` then uses runc's default. */
  readonly flags: readonly SeccompFlag[] | null;
  readonly rules: readonly SeccompRule[];
}

export type SeccompFlag = 'tsync' | 'log' | 'spec-allow' | 'wait-killable-recv';

export interface SeccompAction {
  readonly type: SeccompActionType;
  /** The error number of `errno`, the message to the tracer of `trace`; otherwise 0. */
  readonly data: number;
}

export type SeccompActionType =
  | 'allow'
  | 'errno'
  | 'kill-process'
  | 'kill-thread'
  | 'log'
  | 'notify'
  | 'trace'
  | 'trap';

export interface SeccompRule {
  /** Names of system calls. */
  readonly names: readonly string[];
  readonly action: SeccompAction;
  /** Conditions on arguments of the call. Empty: the rule matches every call of these names. */
  readonly args: readonly SeccompArg[];
  /** The rule applies only if all of these conditions hold. */
  readonly includes: SeccompFilter;
  /** The rule does not apply if any of these conditions holds. */
  readonly excludes: SeccompFilter;
}

/** An empty list or null is no condition. */
export interface SeccompFilter {
  /** `includes` needs all of them; `excludes` is met by any of them. */
  readonly capabilities: readonly string[];
  /** Docker's names of processors: amd64, arm64, riscv64, s390x, … */
  readonly processors: readonly string[];
  readonly minKernel: readonly [number, number] | null;
}

export interface SeccompArg {
  /** 0 to 5. */
  readonly index: number;
  readonly operator: SeccompOperator;
  /** Unsigned, 64 bits. The value to compare the argument with; for `MASKED_EQ` the mask. */
  readonly value: bigint;
  /** Unsigned, 64 bits. For `MASKED_EQ` the value of the masked bits; other bits are ignored. */
  readonly valueTwo: bigint;
}

export type SeccompOperator = 'EQ' | 'NE' | 'LT' | 'LE' | 'GE' | 'GT' | 'MASKED_EQ';

export const NO_FILTER: SeccompFilter = { capabilities: [], processors: [], minKernel: null };
