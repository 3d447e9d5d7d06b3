/**
 * Which tests are expected to fail, and why: expected-failures.json names each test, its cause and its
 * set-ups, and how many that are for each set-up.
 *
 * The causes are a closed set, so a new kind of failure has to be named here before it can be expected.
 * A test that fails without being listed fails the run, and so does a listed one that passes.
 */
import content from './expected-failures.json' with { type: 'json' };
import { SET_UPS, type SetUpName } from './set-up-names.ts';
import type { TestResult } from './test-result.ts';

export const CAUSES = {
  'service-proxy': 'nothing forwards connections to addresses and node ports of Services',
  'cluster-dns': 'there is no DNS for Services and pods',
  controller: 'podkeep alone has no such controller',
  'admission-policy': 'podkeep does not evaluate admission policies',
  aggregation: 'podkeep does not serve APIs of extension servers',
  'conversion-webhook': 'podkeep does not call conversion webhooks',
  'api-answer': 'an answer of the API differs from that of kube-apiserver',
  scheduler: 'the embedded scheduler does less than kube-scheduler',
  kubelet: 'podkeep does less than the kubelet',
  'one-node': 'the set-up has one node, and the test needs two',
  'test-image': 'the test needs a program that the images built here do not have',
} as const;

export type Cause = keyof typeof CAUSES;

export interface ExpectedFailure {
  readonly test: string;
  readonly cause: Cause;
  readonly on: readonly SetUpName[];
}

export interface Surprises {
  /** Failed, and not listed. */
  readonly failed: readonly TestResult[];
  /** Passed, and listed. */
  readonly passed: readonly TestResult[];
}

export const EXPECTED = content.tests as readonly ExpectedFailure[];

/** How many tests are listed for each set-up. */
export const EXPECTED_COUNTS = content.counts as Readonly<Record<SetUpName, number>>;

export function expectedOn(on: SetUpName, all = EXPECTED): ReadonlyMap<string, Cause> {
  return new Map(
    all.filter((each) => each.on.includes(on)).map(({ test, cause }) => [test, cause]),
  );
}

export function surprisesOf(
  results: readonly TestResult[],
  expected: ReadonlyMap<string, Cause>,
): Surprises {
  return {
    failed: results.filter(({ test, outcome }) => !outcome.passed && !expected.has(test)),
    passed: results.filter(({ test, outcome }) => outcome.passed && expected.has(test)),
  };
}

/** A sentence for each mistake in the list. `known` are the names of all tests. */
export function mistakesOf(
  all: readonly ExpectedFailure[],
  counts: Readonly<Record<string, number>>,
  known: ReadonlySet<string>,
): readonly string[] {
  const unknown = all.filter(({ test }) => !known.has(test)).map(({ test }) => `no test: ${test}`);
  const uncaused = all
    .filter(({ cause }) => !Object.hasOwn(CAUSES, cause))
    .map(({ test, cause }) => `no cause ${cause}: ${test}`);
  const miscounted = SET_UPS.flatMap((on) => {
    const listed = all.filter((each) => each.on.includes(on));
    const distinct = new Set(listed.map(({ test }) => test)).size;
    if (distinct !== listed.length) return [`${on}: a test is listed twice`];
    return listed.length === counts[on]
      ? []
      : [`${on}: ${listed.length} are listed, not ${counts[on]}`];
  });
  return [...unknown, ...uncaused, ...miscounted];
}
