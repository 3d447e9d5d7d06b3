/**
 * One test as one process of e2e.test.
 *
 * Ginkgo limits a run, not a test, and some tests wait without end. So each test is a run of its own:
 * at the limit ginkgo interrupts it, which lets it clean up, and later it is killed.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { conformancePath } from '../../scripts/cluster/cache-folder.ts';
import { Daemon } from '../e2e/support/daemon.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { findProgram } from '../e2e/support/programs.ts';
import { missingSteps } from './hollow-passes.ts';
import { outcomeOf, withoutOthers, type Outcome } from './junit.ts';

export interface TestContext {
  readonly kubeconfig: string;
  /** Where results stay. */
  readonly output: string;
  readonly limitSeconds: number;
  /** Aborted: the test is killed, and counts as interrupted. */
  readonly signal: AbortSignal;
}

/** For the clean-up of an interrupted test. */
const GRACE_SECONDS = 30;
/** For its start: ginkgo's clock begins after it. */
const START_SECONDS = 60;

/** `id` is the name of its files. */
export async function runTest(test: string, id: string, context: TestContext): Promise<Outcome> {
  const { output, limitSeconds, signal } = context;
  const folder = path.join(output, 'running', id);
  mkdirSync(folder, { recursive: true });
  const daemon = new Daemon({
    name: 'e2e',
    command: conformancePath('e2e.test', process.env),
    args: argumentsOf(test, folder, context),
    folder,
    env: { KUBECONFIG: context.kubeconfig, HOME: folder },
  });
  const deadlineMs = (START_SECONDS + limitSeconds + GRACE_SECONDS) * 1000;
  const ended = await waitFor(
    { what: test, deadlineMs },
    () => daemon.ending ?? (signal.aborted ? 'interrupted' : undefined),
  ).catch(() => 'killed at its limit');
  await daemon.stop('SIGKILL');
  const log = daemon.log;
  const outcome = readOutcome(test, ended, log, folder, path.join(output, 'junit', `${id}.xml`));
  mkdirSync(path.join(output, 'logs'), { recursive: true });
  writeFileSync(path.join(output, 'logs', `${id}.log`), log);
  rmSync(folder, { recursive: true, force: true });
  return outcome;
}

function argumentsOf(test: string, folder: string, context: TestContext): readonly string[] {
  return [
    `--kubeconfig=${context.kubeconfig}`,
    '--provider=skeleton',
    `--kubectl-path=${findProgram('kubectl')}`,
    `--report-dir=${folder}`,
    `--e2e-output-dir=${folder}`,
    '--disable-log-dump',
    '--node-schedulable-timeout=1m',
    '--system-pods-startup-timeout=1m',
    '--system-daemonsets-startup-timeout=1m',
    `--ginkgo.focus=${escape(test)}$`,
    `--ginkgo.timeout=${context.limitSeconds}s`,
    `--ginkgo.grace-period=${GRACE_SECONDS}s`,
    '--ginkgo.no-color',
    '--ginkgo.silence-skips',
    '--ginkgo.v',
  ];
}

function readOutcome(
  test: string,
  ended: string,
  log: string,
  folder: string,
  output: string,
): Outcome {
  const junit = readJunit(folder);
  if (junit === null) return { passed: false, state: ended, message: lastLines(log) };
  mkdirSync(path.dirname(output), { recursive: true });
  writeFileSync(output, withoutOthers(junit, test));
  const outcome = outcomeOf(junit, test);
  if (!outcome.passed) {
    return outcome.message === '' ? { ...outcome, message: lastLines(log) } : outcome;
  }
  const missing = missingSteps(test, log);
  if (missing.length === 0) return outcome;
  return { passed: false, state: 'hollow', message: `it never reached: ${missing.join('; ')}` };
}

function readJunit(folder: string): string | null {
  try {
    return readFileSync(path.join(folder, 'junit_01.xml'), 'utf8');
  } catch {
    // It was killed before it wrote one.
    return null;
  }
}

const LAST_LINES = 12;

function lastLines(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-LAST_LINES).join('\n');
}

/** Go's regular expressions have these characters in common with ours. */
function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
