/**
 * `npm run bench:overload`: measures how much one user who overloads the server slows down the others.
 *
 * For each kind of load, another user gets, lists and patches objects and starts pods, while memory and the
 * Lease of the node are observed. It needs `npm run build`, and takes a few minutes. A word on the command
 * line selects the loads whose names contain it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LOADS } from './overload-loads.ts';
import { Bystander } from './overload-bystander.ts';
import type { Target } from './overload-client.ts';
import { formatTable } from './table.ts';

const LOAD_MS = 6000;
const CALM_MS_MAX = 10_000;
const LATENCY_MS_MAX = 250;
const MEMORY_MB_MAX = 1024;
const POD_START_FACTOR = 2;
const LEASE_MS_MAX = 15_000;

const [mode = '', name = ''] = process.argv.slice(2);
if (mode === '--load') {
  process.send?.('started');
  await LOADS[name]?.(targetOf(process.env));
} else {
  await measureAll(mode);
}

function targetOf(env: NodeJS.ProcessEnv): Target {
  return { url: env['URL'] ?? '', ca: env['CA'] ?? '', token: env['TOKEN'] ?? '' };
}

async function measureAll(chosen: string): Promise<void> {
  const bystander = await Bystander.open();
  try {
    await bystander.measure(2000); // the first requests of a process are not like the others
    const quiet = await bystander.measure(2 * LOAD_MS);
    const rows = [rowOf('(nothing)', quiet, '')];
    const broken: string[] = [];
    for (const load of Object.keys(LOADS).filter((each) => each.includes(chosen))) {
      const { figures, calmMs } = await underLoad(bystander, load, quiet.get.p99);
      const faults = faultsOf(figures, quiet, calmMs);
      rows.push(rowOf(load, figures, calmMs === null ? '> 10 s' : `${calmMs} ms`, faults));
      if (faults.length > 0) broken.push(load);
    }
    const header = ['ms: p50 / p99', 'GET', 'LIST of 100', 'PATCH', 'pod (p90)', 'lease age'];
    console.log(formatTable([...header, 'memory', 'calm after', 'limits'], rows));
    console.log(
      `\nlimits: p99 ${LATENCY_MS_MAX} ms, p90 of pod starts twice the quiet p90, lease ` +
        `${LEASE_MS_MAX / 1000} s, memory ${MEMORY_MB_MAX} MB, calm after 10 s`,
    );
    process.exitCode = broken.length > 0 ? 1 : 0;
  } finally {
    await bystander.close();
  }
}

type Figures = Awaited<ReturnType<Bystander['measure']>>;

async function underLoad(
  bystander: Bystander,
  load: string,
  quietMs: number,
): Promise<{ readonly figures: Figures; readonly calmMs: number | null }> {
  const { url, ca, token } = bystander.attacker;
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(import.meta.url), '--load', load],
    {
      env: { ...process.env, URL: url, CA: ca, TOKEN: token },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const ended = once(child, 'exit');
  await once(child, 'message');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const figures = await bystander.measure(LOAD_MS);
  child.kill('SIGKILL');
  await ended;
  return { figures, calmMs: await calmAfter(bystander, quietMs) };
}

/** The time until the server is as fast as before. Null: longer than the limit. */
async function calmAfter(bystander: Bystander, quietMs: number): Promise<number | null> {
  const startMs = performance.now();
  while (performance.now() - startMs < CALM_MS_MAX) {
    const spentMs = Math.round(performance.now() - startMs);
    if ((await bystander.getP99(20)) <= 2 * quietMs + 10) return spentMs;
  }
  return null;
}

function faultsOf(figures: Figures, quiet: Figures, calmMs: number | null): readonly string[] {
  const { get, list, patch, pod, leaseMs, memoryMb, failures } = figures;
  const slow = Math.max(get.p99, list.p99, patch.p99) > LATENCY_MS_MAX;
  return [
    ...(slow ? ['slow'] : []),
    ...(pod.p90 > POD_START_FACTOR * quiet.pod.p90 ? ['pod start'] : []),
    ...(leaseMs > LEASE_MS_MAX ? ['lease'] : []),
    ...(memoryMb > MEMORY_MB_MAX ? ['memory'] : []),
    ...(calmMs === null ? ['not calm'] : []),
    ...(failures.length > 0 ? [`${failures.length} failed: ${failures[0]}`] : []),
  ];
}

function rowOf(
  title: string,
  { get, list, patch, pod, leaseMs, memoryMb }: Figures,
  calm: string,
  faults: readonly string[] = [],
): readonly string[] {
  const pair = ({ p50, p99 }: Figures['get']): string => `${p50.toFixed(1)} / ${p99.toFixed(0)}`;
  return [
    title,
    pair(get),
    pair(list),
    pair(patch),
    `${pod.p50.toFixed(0)} / ${pod.p90.toFixed(0)}`,
    `${(leaseMs / 1000).toFixed(1)} s`,
    `${memoryMb.toFixed(0)} MB`,
    calm,
    faults.length === 0 ? 'kept' : faults.join(', '),
  ];
}
