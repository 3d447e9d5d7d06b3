/**
 * Parses a seccomp profile: the OCI runtime-spec's `linux.seccomp`, or a profile file of Docker, which adds
 * conditions to rules (`includes`, `excludes`) and a map of architectures.
 *
 * As in runc and Docker:
 *
 *   1. Unknown fields are ignored. `errnoRet` counts for SCMP_ACT_ERRNO and SCMP_ACT_TRACE
 *      only; without it the number is EPERM. SCMP_ACT_KILL is SCMP_ACT_KILL_THREAD.
 *   2. `architectures` and `archMap` are checked, but have no effect: the filter decides calls of the
 *      machine's own architecture and refuses all others (see compile-seccomp.ts).
 *   3. `listenerPath` and `listenerMetadata` belong to SCMP_ACT_NOTIFY, which compileSeccomp refuses.
 */
import { ProfileField, quote } from './profile-field.ts';
import { parseExactJson } from '../json-text/exact-json.ts';
import { profileInvalid, type ProfileFault } from './seccomp-errors.ts';
import {
  NO_FILTER,
  type SeccompAction,
  type SeccompActionType,
  type SeccompArg,
  type SeccompFilter,
  type SeccompFlag,
  type SeccompOperator,
  type SeccompProfile,
  type SeccompRule,
} from './seccomp-profile.ts';

const ACTIONS: ReadonlyMap<string, SeccompActionType> = new Map([
  ['SCMP_ACT_ALLOW', 'allow'],
  ['SCMP_ACT_ERRNO', 'errno'],
  ['SCMP_ACT_KILL', 'kill-thread'],
  ['SCMP_ACT_KILL_PROCESS', 'kill-process'],
  ['SCMP_ACT_KILL_THREAD', 'kill-thread'],
  ['SCMP_ACT_LOG', 'log'],
  ['SCMP_ACT_NOTIFY', 'notify'],
  ['SCMP_ACT_TRACE', 'trace'],
  ['SCMP_ACT_TRAP', 'trap'],
]);

const OPERATORS: ReadonlyMap<string, SeccompOperator> = new Map([
  ['SCMP_CMP_NE', 'NE'],
  ['SCMP_CMP_LT', 'LT'],
  ['SCMP_CMP_LE', 'LE'],
  ['SCMP_CMP_EQ', 'EQ'],
  ['SCMP_CMP_GE', 'GE'],
  ['SCMP_CMP_GT', 'GT'],
  ['SCMP_CMP_MASKED_EQ', 'MASKED_EQ'],
]);

const FLAGS: ReadonlyMap<string, SeccompFlag> = new Map([
  ['SECCOMP_FILTER_FLAG_TSYNC', 'tsync'],
  ['SECCOMP_FILTER_FLAG_LOG', 'log'],
  ['SECCOMP_FILTER_FLAG_SPEC_ALLOW', 'spec-allow'],
  ['SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV', 'wait-killable-recv'],
]);

const ARCHITECTURE = /^SCMP_ARCH_[A-Z0-9_]+$/;
const KERNEL = /^(\d{1,3})\.(\d{1,3})$/;
const EPERM = 1;
/** The kernel's largest error number. */
const ERRNO_MAX = 4095n;
const ARGUMENT_INDEX_MAX = 5n;
const UINT64_MAX = 2n ** 64n - 1n;

/** Throws SECCOMP_PROFILE_INVALID, which names the JSON path of every fault. */
export function parseSeccompProfile(text: string): SeccompProfile {
  const faults: ProfileFault[] = [];
  const profile = readProfile(new ProfileField(readJson(text), '', faults));
  if (faults.length > 0) throw profileInvalid({ faults });
  return profile;
}

function readJson(text: string): unknown {
  try {
    return parseExactJson(text, () => true);
  } catch (error) {
    const reason = `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw profileInvalid({ faults: [{ path: '', reason }] }, error);
  }
}

function readProfile(root: ProfileField): SeccompProfile {
  if (!root.expectObject()) return { defaultAction: UNREADABLE, flags: null, rules: [] };
  const defaultAction = readAction(root.field('defaultAction'), root.field('defaultErrnoRet'));
  checkArchitectures(root);
  const flags = root.field('flags');
  return {
    defaultAction,
    flags: flags.isAbsent ? null : flags.items().flatMap((flag) => flag.oneOf(FLAGS) ?? []),
    rules: root.field('syscalls').items().flatMap(readRule),
  };
}

function checkArchitectures(root: ProfileField): void {
  const architectures = root.field('architectures').items();
  const map = root.field('archMap').items();
  if (architectures.length > 0 && map.length > 0) {
    root.field('archMap').fault('must be empty if there are architectures');
  }
  for (const architecture of architectures) checkArchitecture(architecture);
  for (const entry of map) {
    if (!entry.expectObject()) continue;
    checkArchitecture(entry.field('architecture'));
    for (const sub of entry.field('subArchitectures').items()) checkArchitecture(sub);
  }
}

function checkArchitecture(field: ProfileField): void {
  const name = field.text();
  if (name !== undefined && !ARCHITECTURE.test(name)) {
    field.fault(`must be an architecture such as SCMP_ARCH_X86_64, not ${quote(name)}`);
  }
}

/** A placeholder for an invalid action; a profile with one is never returned. */
const UNREADABLE: SeccompAction = { type: 'kill-process', data: 0 };

function readAction(action: ProfileField, errnoRet: ProfileField): SeccompAction {
  const errno = errnoRet.isAbsent ? undefined : errnoRet.integer(ERRNO_MAX);
  const type = action.oneOf(ACTIONS);
  if (type === undefined) return UNREADABLE;
  const hasData = type === 'errno' || type === 'trace';
  return { type, data: hasData ? Number(errno ?? EPERM) : 0 };
}

function readRule(rule: ProfileField): readonly SeccompRule[] {
  if (!rule.expectObject()) return [];
  return [
    {
      names: readNames(rule),
      action: readAction(rule.field('action'), rule.field('errnoRet')),
      args: rule.field('args').items().flatMap(readArg),
      includes: readFilter(rule.field('includes')),
      excludes: readFilter(rule.field('excludes')),
    },
  ];
}

/** The oldest profiles of Docker have the field `name`, for the only call of a rule. */
function readNames(rule: ProfileField): readonly string[] {
  const name = rule.field('name');
  const names = rule.field('names');
  if (name.isAbsent) {
    if (names.isAbsent) names.fault('must be a list of system calls');
    return names.texts();
  }
  if (names.items().length > 0) name.fault('must be absent if there are names');
  const text = name.text();
  return text === undefined ? [] : [text];
}

function readArg(arg: ProfileField): readonly SeccompArg[] {
  if (!arg.expectObject()) return [];
  const index = arg.field('index').integer(ARGUMENT_INDEX_MAX);
  const value = arg.field('value').integer(UINT64_MAX);
  const second = arg.field('valueTwo');
  const valueTwo = second.isAbsent ? 0n : second.integer(UINT64_MAX);
  const operator = arg.field('op').oneOf(OPERATORS);
  if (index === undefined || value === undefined) return [];
  if (valueTwo === undefined || operator === undefined) return [];
  return [{ index: Number(index), operator, value, valueTwo }];
}

function readFilter(filter: ProfileField): SeccompFilter {
  if (filter.isAbsent || !filter.expectObject()) return NO_FILTER;
  return {
    capabilities: filter.field('caps').texts(),
    processors: filter.field('arches').texts(),
    minKernel: readKernel(filter.field('minKernel')),
  };
}

function readKernel(field: ProfileField): readonly [number, number] | null {
  if (field.isAbsent) return null;
  const text = field.text();
  if (text === undefined) return null;
  const [, major, minor] = KERNEL.exec(text) ?? [];
  if (major === undefined || minor === undefined) {
    field.fault(`must be a version such as 4.8, not ${quote(text)}`);
    return null;
  }
  return [Number(major), Number(minor)];
}
