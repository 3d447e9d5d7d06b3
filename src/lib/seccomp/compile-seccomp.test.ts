import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callFor,
  denseProfile,
  target as targets,
  wideProfile,
} from '../../../test/support/seccomp/arbitrary-profiles.ts';
import { runFilter } from '../../../test/support/seccomp/bpf-interpreter.ts';
import { expectedOutcome, outcomeOf } from '../../../test/support/seccomp/profile-model.ts';
import { PodkeepError } from '../errors.ts';
import type { SeccompTarget } from './call-decisions.ts';
import { compileSeccomp } from './compile-seccomp.ts';
import { parseSeccompProfile } from './parse-profile.ts';
import type { SeccompProfile } from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';

const X64: SeccompTarget = { processor: 'x64', capabilities: [], kernel: [6, 18] };
const X64_ARCHITECTURE = 0xc000003e;

/** What happens to a call on x64 under a profile given as an object. */
function outcome(profile: object, name: string, ...args: readonly bigint[]): string {
  const program = compileSeccomp(parseSeccompProfile(JSON.stringify(profile)), X64);
  return run(program, syscallNumbers('x64').get(name) ?? -1, args);
}

function run(program: Uint8Array, number: number, args: readonly bigint[] = []): string {
  const data = { number, architecture: X64_ARCHITECTURE, args };
  return outcomeOf(runFilter(program, data).result);
}

function refusal(profile: SeccompProfile, target = X64): PodkeepError {
  try {
    compileSeccomp(profile, target);
  } catch (error) {
    if (error instanceof PodkeepError) return error;
    throw error;
  }
  throw new Error('the profile was compiled');
}

describe('a program does what its profile says', () => {
  test.each([
    ['with many rules for few calls', denseProfile, 300],
    ['with rules for many calls', wideProfile, 60],
  ])('%s', (_name, profiles, runs) => {
    const cases = fc
      .tuple(profiles, targets)
      .chain(([profile, target]) =>
        fc.tuple(
          fc.constant(profile),
          fc.constant(target),
          fc.array(callFor(profile, target), { minLength: 40, maxLength: 40 }),
        ),
      );
    fc.assert(
      fc.property(cases, ([profile, target, calls]) => {
        const program = compileSeccomp(profile, target);
        for (const call of calls) {
          expect(outcomeOf(runFilter(program, call).result), JSON.stringify(call.number)).toBe(
            expectedOutcome(profile, target, call),
          );
        }
      }),
      { numRuns: runs },
    );
  });
});

describe('rules of one call', () => {
  const errno = (errnoRet: number, args: readonly object[] = []) => ({
    names: ['getpid'],
    action: 'SCMP_ACT_ERRNO',
    errnoRet,
    args,
  });
  const is = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_EQ' });
  const allowing = (...syscalls: readonly object[]) => ({
    defaultAction: 'SCMP_ACT_ALLOW',
    syscalls,
  });

  test('conditions on different arguments must all hold', () => {
    const profile = allowing(errno(5, [is(0, 1), is(1, 2)]));
    expect(outcome(profile, 'getpid', 1n, 2n)).toBe('errno 5');
    expect(outcome(profile, 'getpid', 1n, 3n)).toBe('allow');
    expect(outcome(profile, 'getpid', 0n, 2n)).toBe('allow');
  });

  test('conditions of which two are on the same argument are alternatives, all of them', () => {
    const profile = allowing(errno(5, [is(0, 1), is(0, 2), is(1, 7)]));
    expect(outcome(profile, 'getpid', 1n, 0n)).toBe('errno 5');
    expect(outcome(profile, 'getpid', 2n, 0n)).toBe('errno 5');
    expect(outcome(profile, 'getpid', 3n, 7n)).toBe('errno 5');
    expect(outcome(profile, 'getpid', 3n, 0n)).toBe('allow');
  });

  test('several rules are alternatives, and the first that matches decides', () => {
    const profile = allowing(errno(5, [is(0, 1)]), errno(6, [is(1, 1)]));
    expect(outcome(profile, 'getpid', 1n, 1n)).toBe('errno 5');
    expect(outcome(profile, 'getpid', 0n, 1n)).toBe('errno 6');
  });

  test('a rule without conditions decides, wherever it stands', () => {
    const profile = allowing(errno(5, [is(0, 1)]), errno(6), errno(7));
    expect(outcome(profile, 'getpid', 1n)).toBe('errno 6');
  });

  test('a rule with the default action changes nothing', () => {
    const allow = { names: ['getpid'], action: 'SCMP_ACT_ALLOW' };
    expect(outcome(allowing(allow, errno(5)), 'getpid')).toBe('errno 5');
  });

  test('names that the processor does not have are ignored', () => {
    const profile = allowing({ ...errno(5), names: ['no_such_call', 'socketcall', 'getpid'] });
    expect(outcome(profile, 'getpid')).toBe('errno 5');
  });
});

describe('calls that the profile does not know', () => {
  const allowRead = [{ names: ['read', 'getpid'], action: 'SCMP_ACT_ALLOW' }];

  test.each([
    ['SCMP_ACT_ERRNO', 'errno 1', 'errno 38'],
    ['SCMP_ACT_KILL', 'kill-thread', 'errno 38'],
    ['SCMP_ACT_LOG', 'log', 'log'],
    ['SCMP_ACT_TRACE', 'trace 1', 'trace 1'],
  ])('%s by default: older ones %s, newer ones %s', (defaultAction, older, newer) => {
    const profile = { defaultAction, syscalls: allowRead };
    expect(outcome(profile, 'write')).toBe(older);
    expect(outcome(profile, 'listns')).toBe(newer);
  });

  test('a profile without rules has its default action for all', () => {
    expect(outcome({ defaultAction: 'SCMP_ACT_ERRNO' }, 'listns')).toBe('errno 1');
  });
});

describe('calls of other architectures', () => {
  const foreign = (defaultAction: string, architecture: number, number: number): string => {
    const architectures = ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'];
    const text = JSON.stringify({ defaultAction, architectures });
    const program = compileSeccomp(parseSeccompProfile(text), X64);
    return outcomeOf(runFilter(program, { number, architecture, args: [] }).result);
  };

  test.each([
    ['SCMP_ACT_ALLOW', 'errno 38'],
    ['SCMP_ACT_ERRNO', 'errno 38'],
    ['SCMP_ACT_TRACE', 'errno 38'],
    ['SCMP_ACT_TRAP', 'trap'],
    ['SCMP_ACT_KILL_PROCESS', 'kill-process'],
  ])('are refused with %s by default, although the profile lists them: %s', (action, expected) => {
    expect(foreign(action, 0x40000003, 20)).toBe(expected);
    expect(foreign(action, X64_ARCHITECTURE, 0x40000000)).toBe(expected);
    expect(foreign(action, X64_ARCHITECTURE, 0xffffffff)).toBe(expected);
  });
});

describe('what cannot be compiled', () => {
  const profile = (value: object) =>
    parseSeccompProfile(JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', ...value }));

  test('SCMP_ACT_NOTIFY, by default or in a rule that applies', () => {
    const rule = { names: ['mount'], action: 'SCMP_ACT_NOTIFY' };
    for (const value of [{ defaultAction: 'SCMP_ACT_NOTIFY' }, { syscalls: [rule] }]) {
      expect(refusal(profile(value))).toMatchObject({
        code: 'SECCOMP_PROFILE_UNSUPPORTED',
        message: expect.stringContaining('SCMP_ACT_NOTIFY'),
      });
    }
    const elsewhere = { ...rule, includes: { arches: ['s390x'] } };
    expect(run(compileSeccomp(profile({ syscalls: [elsewhere] }), X64), 165)).toBe('allow');
  });

  test('actions that the kernel is too old for, all named at once', () => {
    const rule = { names: ['mount'], action: 'SCMP_ACT_KILL_PROCESS' };
    const old = profile({ defaultAction: 'SCMP_ACT_LOG', syscalls: [rule] });
    const { message } = refusal(old, { ...X64, kernel: [4, 13] });
    expect(message).toContain('the action log needs Linux 4.14');
    expect(message).toContain('the action kill-process needs Linux 4.14');
    expect(compileSeccomp(old, { ...X64, kernel: [4, 14] }).length).toBeGreaterThan(0);
  });

  test('the flag that is for SCMP_ACT_NOTIFY', () => {
    const flags = ['SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV'];
    expect(refusal(profile({ flags })).message).toContain('WAIT_KILLABLE_RECV');
  });

  test('more instructions than the kernel accepts', () => {
    const values = (count: number) =>
      profile({
        syscalls: Array.from({ length: count }, (_, value) => ({
          names: ['getpid'],
          action: 'SCMP_ACT_ERRNO',
          args: [{ index: 0, value: value * 2 ** 32, op: 'SCMP_CMP_EQ' }],
        })),
      });
    expect(refusal(values(1024)).message).toMatch(/needs \d+ instructions; Linux accepts 4096/);
    // A long chain has to be crossed by jumps of 255 instructions at most.
    const program = compileSeccomp(values(1000), X64);
    expect(run(program, 39, [999n * 2n ** 32n])).toBe('errno 1');
    expect(run(program, 39, [1000n * 2n ** 32n])).toBe('allow');
  });
});

test('a number is found in few steps, and without reading an argument', () => {
  const numbers = [...syscallNumbers('x64')].filter(([, number]) => number % 2 === 0);
  const text = JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    syscalls: [{ names: numbers.map(([name]) => name), action: 'SCMP_ACT_ALLOW' }],
  });
  const program = compileSeccomp(parseSeccompProfile(text), X64);
  for (let number = 0; number < 480; number += 1) {
    const { steps, loads } = runFilter(program, {
      number,
      architecture: X64_ARCHITECTURE,
      args: [],
    });
    // 400 ranges are 9 comparisons; two loads, the architecture, the return, and a long jump or two.
    expect(steps).toBeLessThanOrEqual(16);
    expect(loads).toEqual([4, 0]);
  }
});
