/**
 * `npm run cluster:build`: builds Kubernetes' own programs for the end-to-end tests, and downloads containerd
 * and its tools; each only if it is missing.
 *
 *     npm run cluster:build -- [--if-possible] [--parallel N]
 *
 * --if-possible: on machines without Go or apt, prints the reason and exits with 0. --parallel N: lets Go use
 * N cores; by default all.
 */
import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { PodkeepError } from '../../src/lib/errors.ts';
import { fetchContainers } from './containers.ts';
import { diskTooFull } from './errors.ts';
import { fetchEtcd } from './etcd.ts';
import { buildKubernetesProgram, findGo } from './go.ts';
import { fetchPrometheus } from './prometheus.ts';
import { withLock } from './lock.ts';
import {
  BUILT_PROGRAMS,
  clusterFolder,
  containersFolder,
  FETCHED_PROGRAM,
  programPath,
  prometheusPath,
} from './cache-folder.ts';

const GIB = 2 ** 30;
/** The disk space of the modules' source, the compiler's cache, and the programs. */
const NEEDED_GIB = 6;
/** How long to wait for another builder: all four programs take half an hour on one slow core. */
const PATIENCE_MS = 90 * 60_000;

const { values } = parseArgs({
  options: {
    'if-possible': { type: 'boolean', default: false },
    parallel: { type: 'string' },
  },
});

try {
  await main();
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  if (values['if-possible']) {
    console.log(`skipped: ${error.message}`);
  } else {
    console.error(`${error.message}\n${error.hint}`);
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const folder = clusterFolder(process.env);
  mkdirSync(folder, { recursive: true });
  await withLock(
    path.join(folder, '.lock'),
    { patienceMs: PATIENCE_MS, onWait: (pid) => console.log(`waiting for process ${pid}`) },
    makeMissing,
  );
  console.log(`Kubernetes' programs are in ${folder}`);
}

async function makeMissing(): Promise<void> {
  const etcd = programPath(FETCHED_PROGRAM, process.env);
  if (!existsSync(etcd)) await timed(FETCHED_PROGRAM, () => fetchEtcd(etcd));
  const containers = containersFolder(process.env);
  if (!existsSync(containers)) {
    await timed('containerd, runc and network plugins', () => fetchContainers(containers));
  }
  const prometheus = prometheusPath(process.env);
  if (!existsSync(prometheus)) await timed('prometheus', () => fetchPrometheus(prometheus));
  const missing = BUILT_PROGRAMS.filter((name) => !existsSync(programPath(name, process.env)));
  if (missing.length === 0) return;
  const go = findGo();
  requireDiskSpace(path.dirname(etcd));
  const parallel = values.parallel === undefined ? undefined : Number(values.parallel);
  for (const program of missing) {
    const output = programPath(program, process.env);
    await timed(program, () => buildKubernetesProgram(go, program, output, parallel));
  }
}

function requireDiskSpace(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const freeGiB = (bavail * bsize) / GIB;
  if (freeGiB >= NEEDED_GIB) return;
  throw diskTooFull({ folder, freeGiB: freeGiB.toFixed(1), neededGiB: NEEDED_GIB });
}

async function timed(program: string, work: () => Promise<void>): Promise<void> {
  console.log(`${program} …`);
  const start = Date.now();
  await work();
  console.log(`${program} done in ${Math.round((Date.now() - start) / 1000)} s`);
}
