/**
 * Gives tests a second try where PODKEEP_SECOND_TRY=1, as in CI, and lists those that needed it.
 *
 * CI runs thousands of tests with real processes, disks and clusters on a busy machine. A test that fails
 * once and then passes is a defect of the test or of podkeep: the list at the end of the run reports it,
 * and the run fails only for tests that fail twice. Without the variable every failure fails the run.
 */
import type { Reporter, TestModule } from 'vitest/node';

export const RETRY = process.env['PODKEEP_SECOND_TRY'] === '1' ? 1 : 0;

/** Prints the tests that passed only at their second try. */
export class SecondTriesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const line of secondTries(modules)) console.log(line);
  }
}

function secondTries(modules: readonly TestModule[]): readonly string[] {
  const names = modules.flatMap(({ relativeModuleId, children }) =>
    [...children.allTests()]
      // A test that is expected to fail is repeated, too.
      .filter((test) => test.diagnostic()?.flaky && !test.options.fails)
      .map((test) => `  ${relativeModuleId} > ${test.fullName}`),
  );
  return names.length === 0 ? [] : [`passed only at the second try: ${names.length}`, ...names];
}
