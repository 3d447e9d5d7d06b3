/**
 * `npm run k8s:conformance`: Kubernetes' own conformance tests against podkeep, on containerd.
 *
 *     npm run k8s:conformance -- [--sample | --focus REGEX | --list FILE] [--on SET-UP]
 *                                [--nodes N] [--limit SECONDS] [--output DIR]
 *
 * It ends with 0 if exactly those tests failed that expected-failures.json names. docs/testing.md
 * explains the rest.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildConformancePrograms } from '../../scripts/cluster/conformance-programs.ts';
import { buildPodkeep } from '../../scripts/run-suite.ts';
import { PodkeepError } from '../../src/lib/errors.ts';
import { requireCluster } from '../cluster/support/requirements.ts';
import {
  EXPECTED,
  EXPECTED_COUNTS,
  expectedOn,
  mistakesOf,
  surprisesOf,
} from './expected-failures.ts';
import { HOLLOW_TESTS } from './hollow-passes.ts';
import { conformanceOption, readOptions, type ConformanceOptions } from './options.ts';
import { linesOf } from './report.ts';
import type { RunningCluster } from './running-cluster.ts';
import { startCluster } from './set-ups.ts';
import { runTests } from './test-run.ts';
import { allTests, chooseTests } from './test-list.ts';

const INTERRUPTED = 130;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort());
}

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  console.error(`${error.message}\n${error.hint}`);
  process.exitCode = 1;
}

async function main(options: ConformanceOptions): Promise<number> {
  requireCluster();
  await buildConformancePrograms(console.log);
  const all = allTests();
  checkLists(all);
  const tests = chooseTests(all, options);
  if (buildPodkeep() !== 0) return 1;
  const output = outputFolder(options);
  const cluster = await startCluster(options.on);
  try {
    if (stop.signal.aborted) return INTERRUPTED;
    const { kubeconfig } = cluster;
    const { nodes, limitSeconds, on } = options;
    console.log(`${tests.length} tests on ${on}, results in ${output}`);
    const fault = (): string | null => cluster.fault;
    const context = { kubeconfig, output, limitSeconds, signal: stop.signal, fault };
    const results = await runTests(tests, nodes, context);
    const expected = expectedOn(on);
    const surprises = surprisesOf(results, expected);
    writeFileSync(path.join(output, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
    if (cluster.fault !== null) console.log(`a program of the cluster ended:\n${cluster.fault}`);
    for (const line of linesOf({ results, expected, surprises, output })) console.log(line);
    if (stop.signal.aborted) return INTERRUPTED;
    return surprises.failed.length + surprises.passed.length === 0 ? 0 : 1;
  } finally {
    keepLogs(cluster, output);
    await cluster.remove();
    rmSync(path.join(output, 'running'), { recursive: true, force: true });
  }
}

/** The lists name tests of this Kubernetes; another version may have renamed them. */
function checkLists(all: readonly string[]): void {
  const [mistake] = mistakesOf(EXPECTED, EXPECTED_COUNTS, new Set(all));
  if (mistake !== undefined) {
    throw conformanceOption({ problem: `expected-failures.json: ${mistake}` });
  }
  const lost = HOLLOW_TESTS.find((part) => !all.some((test) => test.includes(part)));
  if (lost !== undefined)
    throw conformanceOption({ problem: `hollow-passes.ts: no test: ${lost}` });
}

function outputFolder({ output }: ConformanceOptions): string {
  if (output === null) return mkdtempSync(path.join(tmpdir(), 'podkeep-k8s-conformance-'));
  mkdirSync(output, { recursive: true });
  return path.resolve(output);
}

function keepLogs({ logs }: RunningCluster, output: string): void {
  for (const [name, file] of Object.entries(logs)) {
    if (existsSync(file)) copyFileSync(file, path.join(output, `${name}.log`));
  }
}
