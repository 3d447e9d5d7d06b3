/**
 * Compiles a seccomp profile to the BPF program that the kernel runs for each system call of a container.
 *
 *     text ──parseSeccompProfile──▶ SeccompProfile ──compileSeccomp──▶ struct sock_filter[]
 *            (parse-profile.ts)      ▲                                  for prctl(2) or seccomp(2)
 *                                    └── DEFAULT_SECCOMP_PROFILE (default-profile.ts)
 *
 * This folder only produces bytes. The process that becomes the container installs them right before exec,
 * with no_new_privs set or with CAP_SYS_ADMIN, and with the flags of `seccompFlags`.
 *
 * The program:
 *
 *     architecture of the call ── another ──▶ refused (foreignResult)
 *              │ the machine's own
 *     binary search for the number in ranges with one decision each
 *              │
 *     conditions on arguments, where there are any ──▶ return
 *
 *   1. Calls of other architectures (32-bit programs, x32) are refused whatever the profile lists. Docker's
 *      default profile allows them by their own numbers; podkeep does not, because a second table of numbers
 *      is a second way around the first. `architectures` and `archMap` therefore add nothing, and the
 *      machine's own architecture is always included.
 *   2. call-decisions.ts decides which rule applies to a call, and the result of calls that the profile does
 *      not name.
 *   3. The program checks architecture and number before any argument, with instructions that the kernel can
 *      evaluate in advance (since 5.11): for calls that are always allowed the kernel then skips the program.
 */
import { assert } from '../assert.ts';
import {
  applicableRules,
  decideNumbers,
  decisionKey,
  foreignResult,
  isAtLeast,
  type CallDecision,
  type NumberRange,
  type SeccompTarget,
} from './call-decisions.ts';
import { BpfProgram, type Label } from './bpf-program.ts';
import { conditionCode } from './condition-code.ts';
import { ARCHITECTURE_OFFSET, ARCHITECTURES, NUMBER_OFFSET } from './kernel-values.ts';
import { profileUnsupported } from './seccomp-errors.ts';
import type { SeccompActionType, SeccompProfile } from './seccomp-profile.ts';

/** BPF_MAXINSNS, the kernel's limit for the length of a program. */
const INSTRUCTIONS_MAX = 4096;

/** The first kernel version of each action. Older kernels kill the process on an unknown action. */
const ACTIONS_SINCE: Readonly<Partial<Record<SeccompActionType, readonly [number, number]>>> = {
  'kill-process': [4, 14],
  log: [4, 14],
};

/**
 * `struct sock_filter[]`, 8 bytes each. Throws SECCOMP_PROFILE_UNSUPPORTED if the kernel could not
 * do what the profile asks for.
 */
export function compileSeccomp(profile: SeccompProfile, target: SeccompTarget): Uint8Array {
  const reasons = unsupported(profile, target);
  if (reasons.length > 0) throw profileUnsupported({ reasons });
  const program = new BpfProgram();
  const numbers = program.load(
    NUMBER_OFFSET,
    searchCode(program, decideNumbers(profile, target), new Map()),
  );
  const foreign = program.return(foreignResult(profile));
  const entry = program.load(
    ARCHITECTURE_OFFSET,
    program.branch('equal', ARCHITECTURES[target.processor], numbers, foreign),
  );
  if (program.length > INSTRUCTIONS_MAX) {
    throw profileUnsupported({
      reasons: [`it needs ${program.length} instructions; Linux accepts ${INSTRUCTIONS_MAX}`],
    });
  }
  return program.toBytes(entry);
}

function unsupported(profile: SeccompProfile, target: SeccompTarget): readonly string[] {
  const actions = [profile, ...applicableRules(profile, target)].map((part) =>
    'action' in part ? part.action.type : part.defaultAction.type,
  );
  const reasons = [...new Set(actions)].flatMap((action) => {
    if (action === 'notify') return ['SCMP_ACT_NOTIFY needs an agent, which podkeep does not have'];
    const since = ACTIONS_SINCE[action];
    if (!since || isAtLeast(target.kernel, since)) return [];
    return [
      `the action ${action} needs Linux ${since.join('.')}, this is ${target.kernel.join('.')}`,
    ];
  });
  const isWaiting = profile.flags?.includes('wait-killable-recv') === true;
  return isWaiting
    ? [...reasons, 'SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV is for SCMP_ACT_NOTIFY only']
    : reasons;
}

/**
 * Generates a binary search for the range of the loaded number. Equal decisions share the code in `written`.
 */
function searchCode(
  program: BpfProgram,
  ranges: readonly NumberRange[],
  written: Map<string, Label>,
): Label {
  const half = ranges.length >> 1;
  const middle = ranges[half];
  assert(middle !== undefined, 'there are no ranges of numbers to search');
  if (half === 0) return sharedCode(program, middle.decision, written);
  const upper = searchCode(program, ranges.slice(half), written);
  const lower = searchCode(program, ranges.slice(0, half), written);
  return program.branch('greater-or-equal', middle.first, upper, lower);
}

function sharedCode(
  program: BpfProgram,
  decision: CallDecision,
  written: Map<string, Label>,
): Label {
  if (decision.cases.length === 0) return program.return(decision.otherwise);
  const key = decisionKey(decision);
  const label = written.get(key) ?? decisionCode(program, decision);
  written.set(key, label);
  return label;
}

/** Generates code that tries one case after the other, backwards like the whole program. */
function decisionCode(program: BpfProgram, { cases, otherwise }: CallDecision): Label {
  return cases.reduceRight((next, { args, result }) => {
    const matched = program.return(result);
    return args.reduceRight((rest, arg) => conditionCode(program, arg, rest, next), matched);
  }, program.return(otherwise));
}
