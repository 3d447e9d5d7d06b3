/**
 * Decides what a seccomp profile does with every system call number, before any BPF code is generated.
 *
 * Which rules of a profile decide a call (as in runc with libseccomp):
 *
 *   1. Rules count if their `includes` and `excludes` fit the processor, the kernel and the capabilities, and
 *      if their action is not the default action: the others would change nothing.
 *   2. Conditions on different arguments of one rule must all hold. If two conditions of a rule are on the
 *      same argument, each of its conditions is a rule of its own: one that holds is enough.
 *   3. The first rule without conditions decides the call, and rules with conditions do not count. If there
 *      is none, the rules are tried in the order of the profile; the first that matches decides, and if none
 *      matches, the default action applies. (libseccomp leaves open which of two matching rules with
 *      different actions decides; here it is the first.)
 *
 * Numbers that no rule names:
 *
 *   4. Numbers above the largest one that a rule names fail with ENOSYS, unless the default action permits
 *      calls (ALLOW, LOG, TRACE): they are newer than the profile, and a libc that gets ENOSYS falls back to
 *      an older call, while EPERM makes it fail.
 *   5. On x64, x32 numbers get `foreignResult`. All others get the default action.
 */
import { ENOSYS, returnValue, X32_NUMBERS } from './kernel-values.ts';
import type {
  SeccompAction,
  SeccompArg,
  SeccompFilter,
  SeccompProcessor,
  SeccompProfile,
  SeccompRule,
} from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';

export interface SeccompTarget {
  readonly processor: SeccompProcessor;
  /** Such as `CAP_SYS_ADMIN`. */
  readonly capabilities: readonly string[];
  /** Version and major revision: 6.18.3 is [6, 18]. */
  readonly kernel: readonly [number, number];
}

/** `result` and `otherwise` are return values of the filter. */
export interface CallDecision {
  readonly cases: readonly { readonly args: readonly SeccompArg[]; readonly result: number }[];
  /** The result if no case matches. */
  readonly otherwise: number;
}

/** From `first` to the number before the next range. */
export interface NumberRange {
  readonly first: number;
  readonly decision: CallDecision;
}

/** Docker uses Go's names of processors. */
const DOCKER_NAMES: Readonly<Record<SeccompProcessor, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  riscv64: 'riscv64',
};

export function applicableRules(
  profile: SeccompProfile,
  target: SeccompTarget,
): readonly SeccompRule[] {
  return profile.rules.filter(
    ({ includes, excludes }) =>
      !excludesTarget(excludes, target) && includesTarget(includes, target),
  );
}

/** The ranges cover all numbers from 0; neighbours differ in their decisions. */
export function decideNumbers(
  profile: SeccompProfile,
  target: SeccompTarget,
): readonly NumberRange[] {
  const fallback = returnValue(profile.defaultAction);
  const rules = rulesByNumber(applicableRules(profile, target), target.processor);
  const ranges: NumberRange[] = [];
  let next = 0;
  for (const [number, own] of [...rules].sort(([a], [b]) => a - b)) {
    ranges.push({ first: next, decision: always(fallback) });
    ranges.push({ first: number, decision: decideCall(own, fallback) });
    next = number + 1;
  }
  const isNewerRefused = rules.size > 0 && !letsThrough(profile.defaultAction);
  const newer = isNewerRefused ? returnValue({ type: 'errno', data: ENOSYS }) : fallback;
  ranges.push({ first: next, decision: always(newer) });
  if (target.processor === 'x64') {
    ranges.push({ first: X32_NUMBERS, decision: always(foreignResult(profile)) });
  }
  return merge(ranges);
}

/**
 * The result for calls of a foreign architecture: a 32-bit program, or x32. Their numbers mean other calls,
 * so no rule applies. If the default action kills or traps, it applies here, too; otherwise the call fails
 * with ENOSYS, as on a kernel without that architecture. The error number of the default action is not used:
 * it is usually EPERM, which would mean a missing right.
 */
export function foreignResult({ defaultAction }: SeccompProfile): number {
  const { type } = defaultAction;
  const isFatal = type === 'kill-process' || type === 'kill-thread' || type === 'trap';
  return returnValue(isFatal ? defaultAction : { type: 'errno', data: ENOSYS });
}

/** Names that are not in the table are ignored: the processor has no such call. */
function rulesByNumber(
  rules: readonly SeccompRule[],
  processor: SeccompProcessor,
): ReadonlyMap<number, readonly SeccompRule[]> {
  const numbers = syscallNumbers(processor);
  const byNumber = new Map<number, SeccompRule[]>();
  for (const rule of rules) {
    for (const name of rule.names) {
      const number = numbers.get(name);
      if (number === undefined) continue;
      const own = byNumber.get(number);
      if (own) own.push(rule);
      else byNumber.set(number, [rule]);
    }
  }
  return byNumber;
}

function decideCall(rules: readonly SeccompRule[], fallback: number): CallDecision {
  const effective = rules.filter(({ action }) => returnValue(action) !== fallback);
  const unconditional = effective.find(({ args }) => args.length === 0);
  if (unconditional) return always(returnValue(unconditional.action));
  const cases = effective.flatMap(({ args, action }) =>
    alternatives(args).map((all) => ({ args: all, result: returnValue(action) })),
  );
  return { cases, otherwise: fallback };
}

function alternatives(args: readonly SeccompArg[]): readonly (readonly SeccompArg[])[] {
  const areDistinct = new Set(args.map(({ index }) => index)).size === args.length;
  return areDistinct ? [args] : args.map((arg) => [arg]);
}

function always(result: number): CallDecision {
  return { cases: [], otherwise: result };
}

/** TRACE counts as well: the tracer knows newer calls, or returns ENOSYS itself. */
function letsThrough({ type }: SeccompAction): boolean {
  return type === 'allow' || type === 'log' || type === 'trace';
}

function includesTarget(filter: SeccompFilter, target: SeccompTarget): boolean {
  const { capabilities, processors, minKernel } = filter;
  return (
    capabilities.every((name) => target.capabilities.includes(name)) &&
    (processors.length === 0 || processors.includes(DOCKER_NAMES[target.processor])) &&
    (minKernel === null || isAtLeast(target.kernel, minKernel))
  );
}

function excludesTarget(filter: SeccompFilter, target: SeccompTarget): boolean {
  const { capabilities, processors, minKernel } = filter;
  return (
    capabilities.some((name) => target.capabilities.includes(name)) ||
    processors.includes(DOCKER_NAMES[target.processor]) ||
    (minKernel !== null && isAtLeast(target.kernel, minKernel))
  );
}

export function isAtLeast(
  [major, minor]: readonly [number, number],
  [minMajor, minMinor]: readonly [number, number],
): boolean {
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

/** Drops empty ranges, and ranges with the same decision as the one before. */
function merge(ranges: readonly NumberRange[]): readonly NumberRange[] {
  return ranges
    .filter(({ first }, index) => first !== ranges[index + 1]?.first)
    .filter(
      ({ decision }, index, all) =>
        index === 0 || decisionKey(decision) !== decisionKey(all[index - 1]?.decision),
    );
}

/** A key that is equal for decisions with the same code. */
export function decisionKey(decision: CallDecision | undefined): string {
  if (!decision) return '';
  const cases = decision.cases.map(({ args, result }) => {
    const conditions = args.map(
      ({ index, operator, value, valueTwo }) => `${index} ${operator} ${value} ${valueTwo}`,
    );
    return `${conditions.join(',')}>${result}`;
  });
  return [...cases, decision.otherwise].join(';');
}
