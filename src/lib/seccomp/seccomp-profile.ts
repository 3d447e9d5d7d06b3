/**
 * A seccomp profile after parsing: which system calls a container may make, and what happens to the
 * others. Profile files have many spellings of one thing; here each thing has one form.
 *
 * A profile does not depend on a machine: `compileSeccomp` applies the conditions of its rules to a
 * processor, a kernel and the capabilities of one container.
 */
export type SeccompProcessor = 'x64' | 'arm64' | 'riscv64';

export interface SeccompProfile {
  /** For every system call that no rule decides. */
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
  /** Conditions on arguments of the call. Empty: the rule matches every such call. */
  readonly args: readonly SeccompArg[];
  /** The rule is used only where all of this holds. */
  readonly includes: SeccompFilter;
  /** The rule is not used where any of this holds. */
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
  /** Unsigned, 64 bits. What the argument is compared with; for `MASKED_EQ` the mask. */
  readonly value: bigint;
  /** Unsigned, 64 bits. For `MASKED_EQ` the bits under the mask; its other bits do not count. */
  readonly valueTwo: bigint;
}

export type SeccompOperator = 'EQ' | 'NE' | 'LT' | 'LE' | 'GE' | 'GT' | 'MASKED_EQ';

export const NO_FILTER: SeccompFilter = { capabilities: [], processors: [], minKernel: null };
