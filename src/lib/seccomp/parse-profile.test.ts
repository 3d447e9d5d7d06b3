import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../errors.ts';
import { compileSeccomp } from './compile-seccomp.ts';
import { parseSeccompProfile } from './parse-profile.ts';
import { seccompFlags } from './seccomp-flags.ts';
import { NO_FILTER } from './seccomp-profile.ts';
import { runFilter } from '../../../test/support/seccomp/bpf-interpreter.ts';
import { outcomeOf } from '../../../test/support/seccomp/profile-model.ts';

const parse = (profile: unknown) => parseSeccompProfile(JSON.stringify(profile));

function refusal(text: string): PodkeepError {
  try {
    parseSeccompProfile(text);
  } catch (error) {
    if (error instanceof PodkeepError) return error;
    throw error;
  }
  throw new Error('the profile was parsed');
}

/** The faults of a profile, in the order in which they are named. */
function faults(profile: unknown): readonly string[] {
  const { code, message } = refusal(JSON.stringify(profile));
  expect(code).toBe('SECCOMP_PROFILE_INVALID');
  return message.replace('the seccomp profile is invalid: ', '').split('; ');
}

test('a profile of the OCI runtime-spec', () => {
  const text = `{
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 38,
    "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
    "flags": ["SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_TSYNC"],
    "listenerPath": "/run/agent.sock",
    "syscalls": [
      { "names": ["read", "write"], "action": "SCMP_ACT_ALLOW" },
      {
        "names": ["ioctl"],
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": 25,
        "args": [
          { "index": 1, "value": 18446744073709551615, "op": "SCMP_CMP_MASKED_EQ", "valueTwo": 21522 }
        ]
      }
    ]
  }`;
  const profile = parseSeccompProfile(text);
  expect(profile).toEqual({
    defaultAction: { type: 'errno', data: 38 },
    flags: ['log', 'tsync'],
    rules: [
      {
        names: ['read', 'write'],
        action: { type: 'allow', data: 0 },
        args: [],
        includes: NO_FILTER,
        excludes: NO_FILTER,
      },
      {
        names: ['ioctl'],
        action: { type: 'errno', data: 25 },
        args: [{ index: 1, operator: 'MASKED_EQ', value: 2n ** 64n - 1n, valueTwo: 21522n }],
        includes: NO_FILTER,
        excludes: NO_FILTER,
      },
    ],
  });
  expect(seccompFlags(profile)).toBe(2);
});

describe("a profile in Docker's form", () => {
  const profile = parse({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    archMap: [
      {
        architecture: 'SCMP_ARCH_X86_64',
        subArchitectures: ['SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
      },
      { architecture: 'SCMP_ARCH_RISCV64', subArchitectures: null },
    ],
    syscalls: [
      { name: 'read', action: 'SCMP_ACT_ALLOW', args: null },
      {
        names: ['ptrace'],
        action: 'SCMP_ACT_ALLOW',
        args: [],
        comment: 'since then it cannot leave the filter',
        includes: { minKernel: '4.8' },
        excludes: {},
      },
      {
        names: ['mount', 'umount2'],
        action: 'SCMP_ACT_ALLOW',
        includes: { caps: ['CAP_SYS_ADMIN', 'CAP_SYS_CHROOT'], arches: ['amd64', 'x32'] },
      },
      {
        names: ['clone'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: 2114060288, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
        excludes: { caps: ['CAP_SYS_ADMIN'], arches: ['s390', 's390x'] },
      },
      { names: ['write'], action: 'SCMP_ACT_ALLOW', excludes: { minKernel: '6.0' } },
      { names: ['listns'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ],
  });

  test.each([
    ['read', 0, [], 'allow'],
    ['ptrace', 101, [], 'allow'],
    ['mount', 165, [], 'errno 1'],
    ['mount', 165, ['CAP_SYS_ADMIN'], 'errno 1'],
    ['mount', 165, ['CAP_SYS_ADMIN', 'CAP_SYS_CHROOT'], 'allow'],
    ['clone', 56, [], 'allow'],
    ['clone', 56, ['CAP_SYS_ADMIN'], 'errno 1'],
    ['write', 1, [], 'errno 1'],
    ['listns', 470, [], 'errno 38'],
  ])('%s (%s) with %j: %s', (_name, number, capabilities, expected) => {
    const program = compileSeccomp(profile, { processor: 'x64', capabilities, kernel: [6, 18] });
    const { result } = runFilter(program, { number, architecture: 0xc000003e, args: [] });
    expect(outcomeOf(result)).toBe(expected);
  });

  test('conditions on the kernel compare numbers, not texts', () => {
    const outcomes = (
      [
        [3, 19],
        [4, 8],
        [4, 14],
        [6, 0],
      ] as const
    ).map((kernel) => {
      const program = compileSeccomp(profile, { processor: 'x64', capabilities: [], kernel });
      const call = (number: number) =>
        outcomeOf(runFilter(program, { number, architecture: 0xc000003e, args: [] }).result);
      return [call(101), call(1)];
    });
    expect(outcomes).toEqual([
      ['errno 1', 'allow'],
      ['allow', 'allow'],
      ['allow', 'allow'],
      ['allow', 'errno 1'],
    ]);
  });
});

test.each([
  ['SCMP_ACT_ALLOW', { type: 'allow', data: 0 }],
  ['SCMP_ACT_ERRNO', { type: 'errno', data: 1 }],
  ['SCMP_ACT_KILL', { type: 'kill-thread', data: 0 }],
  ['SCMP_ACT_KILL_THREAD', { type: 'kill-thread', data: 0 }],
  ['SCMP_ACT_KILL_PROCESS', { type: 'kill-process', data: 0 }],
  ['SCMP_ACT_LOG', { type: 'log', data: 0 }],
  ['SCMP_ACT_NOTIFY', { type: 'notify', data: 0 }],
  ['SCMP_ACT_TRACE', { type: 'trace', data: 1 }],
  ['SCMP_ACT_TRAP', { type: 'trap', data: 0 }],
])('the action %s', (defaultAction, expected) => {
  expect(parse({ defaultAction }).defaultAction).toEqual(expected);
});

describe('invalid profiles', () => {
  test('all faults are named at once, each with its path', () => {
    const found = faults({
      defaultAction: 'SCMP_ACT_DENY',
      defaultErrnoRet: 4096,
      architectures: ['amd64'],
      archMap: [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: 'SCMP_ARCH_X86' }, 7],
      flags: ['SECCOMP_FILTER_FLAG_FAST'],
      syscalls: [
        { names: ['read', '', 3], action: 'SCMP_ACT_ALLOW' },
        { name: 'read', names: ['write'], action: 'SCMP_ACT_ALLOW' },
        { action: 'SCMP_ACT_ERRNO', errnoRet: -1 },
        'read',
        {
          names: ['socket'],
          action: 'SCMP_ACT_ALLOW',
          args: [{ index: 6, value: 1.5, op: 'EQ', valueTwo: '1' }, {}],
          includes: { caps: 'CAP_SYS_ADMIN', minKernel: '4.8.1' },
          excludes: { arches: [null], minKernel: 5 },
        },
      ],
    });
    const operators =
      'SCMP_CMP_NE, SCMP_CMP_LT, SCMP_CMP_LE, SCMP_CMP_EQ, SCMP_CMP_GE, SCMP_CMP_GT';
    expect(found).toEqual([
      'defaultErrnoRet must be an integer from 0 to 4095',
      expect.stringMatching(
        /^defaultAction must be one of SCMP_ACT_ALLOW, .*, not "SCMP_ACT_DENY"$/,
      ),
      'archMap must be empty if there are architectures',
      'architectures[0] must be an architecture such as SCMP_ARCH_X86_64, not "amd64"',
      'archMap[0].subArchitectures must be a list',
      'archMap[1] must be an object',
      expect.stringMatching(/^flags\[0\] must be one of .*, not "SECCOMP_FILTER_FLAG_FAST"$/),
      'syscalls[0].names[1] must not be empty',
      'syscalls[0].names[2] must be a string',
      'syscalls[1].name must be absent if there are names',
      'syscalls[2].names must be a list of system calls',
      'syscalls[2].errnoRet must be an integer from 0 to 4095',
      'syscalls[3] must be an object',
      'syscalls[4].args[0].index must be an integer from 0 to 5',
      'syscalls[4].args[0].value must be an integer from 0 to 18446744073709551615',
      'syscalls[4].args[0].valueTwo must be an integer from 0 to 18446744073709551615',
      `syscalls[4].args[0].op must be one of ${operators}, SCMP_CMP_MASKED_EQ, not "EQ"`,
      'syscalls[4].args[1].index must be an integer from 0 to 5',
      'syscalls[4].args[1].value must be an integer from 0 to 18446744073709551615',
      'syscalls[4].args[1].op must be a string',
      'syscalls[4].includes.caps must be a list',
      'syscalls[4].includes.minKernel must be a version such as 4.8, not "4.8.1"',
      'syscalls[4].excludes.arches[0] must be a string',
      'syscalls[4].excludes.minKernel must be a string',
    ]);
  });

  test.each(['null', '[]', '"SCMP_ACT_ALLOW"', '7'])('%s is no profile', (text) => {
    expect(refusal(text).message).toContain('the profile must be an object');
  });

  test('the default action is required', () => {
    expect(faults({})).toEqual(['defaultAction must be a string']);
  });

  test('what is no JSON is refused with the reason', () => {
    const error = refusal('{"defaultAction": }');
    expect(error.code).toBe('SECCOMP_PROFILE_INVALID');
    expect(error.message).toContain('the profile is not JSON: ');
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  test('a value of more than 64 bits is refused, and not cut', () => {
    const text = `{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["read"],
      "action": "SCMP_ACT_LOG",
      "args": [{"index": 0, "value": 18446744073709551616, "op": "SCMP_CMP_EQ"}]}]}`;
    expect(refusal(text).message).toContain('syscalls[0].args[0].value must be an integer');
  });

  test('names of JavaScript are no actions', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(faults({ defaultAction: name })).toEqual([expect.stringContaining('must be one of')]);
    }
  });
});
