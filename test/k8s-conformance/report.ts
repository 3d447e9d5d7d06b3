/** What a run prints at its end: a table, the failures, and the counts in the last line. */
import { CAUSES, type Cause, type Surprises } from './expected-failures.ts';
import { sigOf, type TestResult } from './test-result.ts';

export interface Report {
  readonly results: readonly TestResult[];
  readonly expected: ReadonlyMap<string, Cause>;
  readonly surprises: Surprises;
  /** The folder of JUnit files and logs. */
  readonly output: string;
}

/** What failed comes first, where it failed comes last, and a dump of objects may be between. */
const FIRST_LINES = 8;
const LAST_LINES = 4;

export function linesOf({ results, expected, surprises, output }: Report): readonly string[] {
  const failures = results.filter(({ outcome }) => !outcome.passed);
  return [
    '',
    ...tableOf(results),
    ...failures.flatMap((result) => ['', ...failureLines(result, expected.get(result.test))]),
    '',
    ...surprises.failed.map(({ test }) => `unexpected failure: ${test}`),
    ...surprises.passed.map(({ test }) => `unexpected pass: ${test}`),
    `JUnit files and logs: ${output}`,
    `${results.length - failures.length} passed, ${failures.length} failed`,
  ];
}

function tableOf(results: readonly TestResult[]): readonly string[] {
  const sigs = [...new Set(results.map(({ test }) => sigOf(test)))].toSorted();
  const width = Math.max(...sigs.map(({ length }) => length), 'sig'.length);
  const row = (sig: string, passed: string | number, failed: string | number): string =>
    `${sig.padEnd(width)}  ${String(passed).padStart(6)}  ${String(failed).padStart(6)}`;
  return [
    row('sig', 'passed', 'failed'),
    ...sigs.map((sig) => {
      const own = results.filter(({ test }) => sigOf(test) === sig);
      const passed = own.filter(({ outcome }) => outcome.passed).length;
      return row(sig, passed, own.length - passed);
    }),
  ];
}

function failureLines(
  { test, id, outcome }: TestResult,
  cause: Cause | undefined,
): readonly string[] {
  if (outcome.passed) return [];
  const lines = outcome.message.split('\n');
  const because = cause === undefined ? 'unexpected' : `expected: ${CAUSES[cause]}`;
  return [
    `FAILED ${test}`,
    `  ${outcome.state}, ${because}; logs/${id}.log`,
    ...shorten(lines).map((line) => `  | ${line}`),
  ];
}

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= FIRST_LINES + LAST_LINES) return lines;
  return [...lines.slice(0, FIRST_LINES), '…', ...lines.slice(-LAST_LINES)];
}
