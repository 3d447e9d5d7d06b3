/** Runs the chosen tests, and prints a line for each that has ended. */
import { execFileSync } from 'node:child_process';
import { findProgram } from '../e2e/support/programs.ts';
import { inTurns, orderOf } from './run-order.ts';
import { runTest, type TestContext } from './test-process.ts';
import type { TestResult } from './test-result.ts';

const CLEAR_SECONDS = 120;

export interface RunContext extends TestContext {
  /** Null: all programs of the cluster run. */
  readonly fault: () => string | null;
}

export async function runTests(
  tests: readonly string[],
  nodes: number,
  context: RunContext,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  const run = async (test: string): Promise<void> => {
    const id = String(tests.indexOf(test) + 1).padStart(3, '0');
    const result = await runOne(test, id, context);
    results.push(result);
    const { outcome, seconds } = result;
    const state = outcome.passed ? 'passed' : `FAILED (${outcome.state})`;
    console.log(`${id} ${state} ${seconds} s  ${test}`);
  };
  const { together, alone } = orderOf(tests);
  await inTurns(together, nodes, run);
  if (alone.length > 0 && !context.signal.aborted) clearNamespaces(context);
  await inTurns(alone, 1, run);
  return results.toSorted((a, b) => a.id.localeCompare(b.id));
}

/** A cluster that lost a program is another one than the tests were to run against. */
async function runOne(test: string, id: string, context: RunContext): Promise<TestResult> {
  const fault = context.fault();
  const reason = context.signal.aborted ? 'interrupted' : fault && 'a program of the cluster ended';
  if (reason !== null) {
    return { test, id, seconds: 0, outcome: { passed: false, state: 'not run', message: reason } };
  }
  const start = Date.now();
  const outcome = await runTest(test, id, context);
  return { test, id, seconds: Math.round((Date.now() - start) / 1000), outcome };
}

/** A killed test leaves its namespace, and tests that need the cluster for themselves would see its pods. */
function clearNamespaces({ kubeconfig }: TestContext): void {
  const words = ['delete', 'namespaces', '-l', 'e2e-framework', '--ignore-not-found'];
  const how = [`--kubeconfig=${kubeconfig}`, `--timeout=${CLEAR_SECONDS}s`];
  try {
    execFileSync(findProgram('kubectl'), [...words, ...how], { stdio: 'ignore' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`namespaces of killed tests are left: ${why}`);
  }
}
