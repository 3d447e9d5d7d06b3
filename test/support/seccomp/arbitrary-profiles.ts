/** Profiles and calls for property tests, with values at the edges of words and of each other. */
import * as fc from 'fast-check';
import type { SeccompTarget } from '../../../src/lib/seccomp/call-decisions.ts';
import type {
  SeccompAction,
  SeccompArg,
  SeccompFilter,
  SeccompProfile,
  SeccompRule,
} from '../../../src/lib/seccomp/seccomp-profile.ts';
import { syscallNumbers } from '../../../src/lib/seccomp/syscall-numbers.ts';
import type { SeccompData } from './bpf-interpreter.ts';

const EDGES = [
  0n,
  1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 33n + 5n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const CAPABILITIES = ['CAP_SYS_ADMIN', 'CAP_SYS_PTRACE', 'CAP_BPF'];
const FEW_NAMES = ['read', 'write', 'getpid', 'clone', 'socket', 'listns', 'open', 'no_such_call'];
const ALL_NAMES = [
  ...new Set([...syscallNumbers('x64').keys(), ...syscallNumbers('riscv64').keys()]),
];

export const word64: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...EDGES),
  fc
    .tuple(fc.constantFrom(...EDGES), fc.constantFrom(-1n, 1n))
    .map(([edge, step]) => BigInt.asUintN(64, edge + step)),
  // The same small words in both halves, so that the high ones are often equal.
  fc
    .tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }))
    .map(([high, low]) => BigInt(high) * 2n ** 32n + BigInt(low)),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);

const action: fc.Arbitrary<SeccompAction> = fc.oneof(
  fc
    .constantFrom('allow', 'kill-process', 'kill-thread', 'log', 'trap')
    .map((type) => ({ type, data: 0 }) as const),
  fc
    .tuple(fc.constantFrom('errno', 'trace'), fc.constantFrom(0, 1, 2, 38, 4095))
    .map(([type, data]) => ({ type, data }) as const),
);

export const arg: fc.Arbitrary<SeccompArg> = fc.record({
  index: fc.nat({ max: 5 }),
  operator: fc.constantFrom('EQ', 'NE', 'LT', 'LE', 'GE', 'GT', 'MASKED_EQ'),
  value: word64,
  valueTwo: word64,
});

const filter: fc.Arbitrary<SeccompFilter> = fc.record({
  capabilities: fc.subarray(CAPABILITIES, { maxLength: 2 }),
  processors: fc.subarray(['amd64', 'arm64', 'riscv64', 's390x']),
  minKernel: fc.constantFrom(null, [4, 8] as const, [5, 20] as const, [6, 3] as const),
});
const noFilter = fc.constant({ capabilities: [], processors: [], minKernel: null });
const sometimesFilter = fc.oneof({ weight: 3, arbitrary: noFilter }, filter);

function rule(names: fc.Arbitrary<string[]>): fc.Arbitrary<SeccompRule> {
  return fc.record({
    names,
    action,
    args: fc.oneof(fc.constant([]), fc.array(arg, { minLength: 1, maxLength: 4 })),
    includes: sometimesFilter,
    excludes: sometimesFilter,
  });
}

/** Few calls with many rules each. */
export const denseProfile: fc.Arbitrary<SeccompProfile> = fc.record({
  defaultAction: action,
  flags: fc.constant(null),
  rules: fc.array(rule(fc.subarray(FEW_NAMES, { minLength: 1 })), { maxLength: 8 }),
});

/** Many calls, so that code lies further apart than a conditional jump goes. */
export const wideProfile: fc.Arbitrary<SeccompProfile> = fc.record({
  defaultAction: action,
  flags: fc.constant(null),
  rules: fc.array(rule(fc.subarray(ALL_NAMES, { minLength: 20 })), { minLength: 2, maxLength: 4 }),
});

export const target: fc.Arbitrary<SeccompTarget> = fc.record({
  processor: fc.constantFrom('x64', 'arm64', 'riscv64'),
  capabilities: fc.subarray(CAPABILITIES),
  kernel: fc.constantFrom([4, 14] as const, [5, 20] as const, [6, 18] as const),
});

const number = fc.oneof(
  fc.nat({ max: 480 }),
  fc.constantFrom(0x3fff_ffff, 0x4000_0000, 0x4000_0027, 0xffff_ffff),
);

/** A call whose arguments are often those that the profile compares with, or next to them. */
export function callFor(
  profile: SeccompProfile,
  { processor }: SeccompTarget,
): fc.Arbitrary<SeccompData> {
  const values = profile.rules.flatMap(({ args }) =>
    args.flatMap(({ value, valueTwo }) => [value, valueTwo, value + 1n, value - 1n]),
  );
  const near = fc.constantFrom(0n, ...values).map((value) => BigInt.asUintN(64, value));
  const names = profile.rules.flatMap((each) => each.names);
  const named = names.flatMap((name) => syscallNumbers(processor).get(name) ?? []);
  const native = { x64: 0xc000003e, arm64: 0xc00000b7, riscv64: 0xc00000f3 }[processor];
  return fc.record({
    number: fc.oneof(fc.constantFrom(0, ...named), number),
    architecture: fc.oneof(
      { weight: 19, arbitrary: fc.constant(native) },
      fc.constantFrom(0x40000003, 0x40000028, 0xc000003e, 0),
    ),
    args: fc.array(fc.oneof(near, word64), { minLength: 6, maxLength: 6 }),
  });
}
