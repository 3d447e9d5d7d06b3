/** Filters in the kernel of this machine: what it answers, and that it accepts our programs. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arg, word64 } from '../../../test/support/seccomp/arbitrary-profiles.ts';
import { expectedOutcome } from '../../../test/support/seccomp/profile-model.ts';
import type { SeccompTarget } from './call-decisions.ts';
import { compileSeccomp } from './compile-seccomp.ts';
import { DEFAULT_SECCOMP_PROFILE } from './default-profile.ts';
import { parseSeccompProfile } from './parse-profile.ts';
import { NO_FILTER, type SeccompProfile } from './seccomp-profile.ts';
import { syscallNumbers } from './syscall-numbers.ts';

const PERL = '/usr/bin/perl';
const PROGRAM = fileURLToPath(
  new URL('../../../test/support/seccomp/try-calls.pl', import.meta.url),
);
const TARGET: SeccompTarget = { processor: 'x64', capabilities: [], kernel: [6, 18] };
const [EPERM, ENOSYS, EOPNOTSUPP] = [1, 38, 95];
const ADDR_NO_RANDOMIZE = 0x40000;

type Call = readonly [name: string | number, ...args: readonly (number | bigint)[]];

const missing = whatIsMissing();
if (missing !== undefined) console.log(`filters are not tried in the kernel: ${missing}`);

function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'this is not Linux on x64';
  if (!existsSync(PERL)) return `there is no ${PERL}`;
  if (!existsSync('/proc/sys/kernel/seccomp')) return 'the kernel has no seccomp filters';
  return undefined;
}

/** Whether this test runs under a filter itself, which then may refuse calls before ours does. */
function isFiltered(): boolean {
  return !/^Seccomp:\s*0$/m.test(readFileSync('/proc/self/status', 'utf8'));
}

/** Makes the calls in a process with the filter, or without one. */
function tryCalls(profile: SeccompProfile | null, calls: readonly Call[], target = TARGET) {
  const filter = profile ? Buffer.from(compileSeccomp(profile, target)).toString('hex') : '';
  const lines = calls.map(([name, ...args]) =>
    [typeof name === 'number' ? name : syscallNumbers('x64').get(name), ...args].join(' '),
  );
  const { stdout, stderr, signal } = spawnSync(PERL, [PROGRAM], {
    input: `${[filter, ...lines].join('\n')}\n`,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return { errors: stdout.split('\n').slice(0, -1).map(Number), signal };
}

describe.skipIf(missing !== undefined)('in the kernel', () => {
  const calls: readonly Call[] = [
    ['unshare', 0],
    ['mount', 0, 0, 0, 0, 0],
    ['keyctl', 999],
    ['personality', ADDR_NO_RANDOMIZE],
    ['clone3', 0, 0],
    ['io_uring_setup', 0, 0],
    ['socket', 40, 1, 0],
    ['listns', 0, 0, 0, 0],
    [0x40000027],
    ['personality', 0],
    ['personality', 0xffffffff],
    ['getpid'],
  ];
  const expected = [
    ...[EPERM, EPERM, EPERM, EPERM, ENOSYS, EPERM, EPERM, ENOSYS, ENOSYS],
    ...[0, 0, 0],
  ];

  test('the default profile refuses and allows what it says', () => {
    expect(tryCalls(DEFAULT_SECCOMP_PROFILE, calls)).toEqual({ errors: expected, signal: null });
  });

  const isAlone = missing === undefined && !isFiltered();

  test.runIf(isAlone)('the same calls have other results without it', () => {
    const { errors } = tryCalls(null, calls);
    expect([errors[0], errors[2], errors[3]]).toEqual([0, EOPNOTSUPP, 0]);
    expect(errors[4]).not.toBe(ENOSYS);
  });

  test.runIf(isAlone)('with CAP_SYS_ADMIN the profile lets namespaces be made, and no more', () => {
    const target = { ...TARGET, capabilities: ['CAP_SYS_ADMIN'] };
    const both: readonly Call[] = [
      ['unshare', 0],
      ['keyctl', 999],
    ];
    expect(tryCalls(DEFAULT_SECCOMP_PROFILE, both, target).errors).toEqual([0, EPERM]);
  });

  test.each(['SCMP_ACT_KILL', 'SCMP_ACT_KILL_PROCESS', 'SCMP_ACT_TRAP'])(
    '%s ends the process with SIGSYS',
    (action) => {
      const profile = parseSeccompProfile(
        JSON.stringify({
          defaultAction: 'SCMP_ACT_ALLOW',
          syscalls: [{ names: ['getppid'], action }],
        }),
      );
      const done = tryCalls(profile, [['getpid'], ['getppid'], ['getpid']]);
      expect(done).toEqual({ errors: [0], signal: 'SIGSYS' });
    },
  );

  test('arguments of 64 bits are compared as the model says', () => {
    // getpid ignores its arguments, so that the rules alone decide.
    const rules = fc.sample(fc.array(arg, { minLength: 1, maxLength: 2 }), {
      numRuns: 60,
      seed: 7,
    });
    const profile: SeccompProfile = {
      defaultAction: { type: 'allow', data: 0 },
      flags: null,
      rules: rules.map((args, index) => ({
        names: ['getpid'],
        action: { type: 'errno', data: index + 1 },
        // The sixth argument names the rule, so that each rule is reached.
        args: [
          ...args.map((each, position) => ({ ...each, index: position })),
          { index: 5, operator: 'EQ', value: BigInt(index), valueTwo: 0n },
        ],
        includes: NO_FILTER,
        excludes: NO_FILTER,
      })),
    };
    const values = rules.flatMap((args) => args.flatMap(({ value }) => [value, value ^ 1n]));
    const words = fc.sample(fc.oneof(fc.constantFrom(...values), word64), {
      numRuns: 6000,
      seed: 8,
    });
    const inputs = Array.from({ length: 1000 }, (_, at) => [
      ...words.slice(at * 6, at * 6 + 5),
      BigInt(at % rules.length),
    ]);
    const { errors } = tryCalls(
      profile,
      inputs.map((args): Call => ['getpid', ...args]),
    );
    const byModel = inputs.map((args) => {
      const call = { number: 39, architecture: 0xc000003e, args };
      return expectedOutcome(profile, TARGET, call);
    });
    expect(errors.map((error) => (error === 0 ? 'allow' : `errno ${error}`))).toEqual(byModel);
    expect(new Set(byModel).size).toBeGreaterThan(40);
  });
});
