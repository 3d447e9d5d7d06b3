/**
 * `npm run bench:compare -- OLD [NEW]`: compares the start of a pod in two builds of podkeep.
 *
 * Each argument is the `bin/podkeep` of a built checkout; without NEW, this checkout is used. The builds run
 * alternately, so that other load on the machine affects both; the script prints the medians and their ratio.
 * CPU time is that of podkeep and all its processes over whole lives of pods; it hardly depends on other
 * load.
 *
 * The variable TURNS sets how often each build runs (default 5).
 */
import path from 'node:path';
import { PodHarness } from './node-clients.ts';
import { percentile } from './node-figures.ts';
import { live, type Lives } from './node-pods.ts';
import { NodeProgram } from './node-program.ts';
import { formatTable } from './table.ts';

const SINGLES = 20;
const BURST = 50;
const BURSTS = 5;
const WARM_UPS = 5;

interface Turn {
  readonly oneReadyMs: number;
  readonly burstReadyMs: number;
  readonly allReadyMs: number;
  /** CPU time per pod. */
  readonly oneCpuMs: number;
  readonly burstCpuMs: number;
  readonly burstOwnCpuMs: number;
}

const FIGURES: readonly (readonly [name: string, pick: keyof Turn])[] = [
  ['one pod: create -> Ready', 'oneReadyMs'],
  [`${BURST} pods: create -> Ready, median of the pods`, 'burstReadyMs'],
  [`${BURST} pods: create -> all of them Ready`, 'allReadyMs'],
  ['one pod: CPU of its life', 'oneCpuMs'],
  [`${BURST} pods: CPU of a life`, 'burstCpuMs'],
  [`${BURST} pods: CPU of a life, podkeep itself`, 'burstOwnCpuMs'],
];

async function takeTurn(file: string): Promise<Turn> {
  const program = new NodeProgram([], undefined, file);
  try {
    await program.heard('node');
    const harness = await PodHarness.open(program);
    try {
      return await measure(program, harness);
    } finally {
      harness.close();
    }
  } finally {
    await program.stop();
  }
}

async function measure(program: NodeProgram, harness: PodHarness): Promise<Turn> {
  for (let n = 0; n < WARM_UPS; n++) await live(harness, [`warm-${n}`]);
  await live(harness, namesOf('warm-burst'));
  const [ones, oneCpuMs] = await repeatLives(program, SINGLES, (n) => live(harness, [`one-${n}`]));
  const ownMs = program.cpuMs().own;
  const [bursts, burstCpuMs] = await repeatLives(program, BURSTS, (n) =>
    live(harness, namesOf(`burst-${n}`)),
  );
  const median = (lives: readonly Lives[], pick: (life: Lives) => number): number =>
    percentile(lives.map(pick), 0.5);
  return {
    oneReadyMs: median(ones, (life) => life.allReadyMs),
    burstReadyMs: median(bursts, (life) => percentile(life.readyMs, 0.5)),
    allReadyMs: median(bursts, (life) => life.allReadyMs),
    oneCpuMs,
    burstCpuMs: burstCpuMs / BURST,
    burstOwnCpuMs: (program.cpuMs().own - ownMs) / BURSTS / BURST,
  };
}

/** Repeats lives of pods. Returns the measurements and the CPU time of one life. */
async function repeatLives(
  program: NodeProgram,
  times: number,
  act: (n: number) => Promise<Lives>,
): Promise<readonly [lives: readonly Lives[], cpuMs: number]> {
  const beforeMs = program.treeCpuMs();
  const lives: Lives[] = [];
  for (let n = 0; n < times; n++) lives.push(await act(n));
  return [lives, (program.treeCpuMs() - beforeMs) / times];
}

function namesOf(burst: string): readonly string[] {
  return Array.from({ length: BURST }, (_, n) => `${burst}-${n}`);
}

function rowOf(
  [name, pick]: (typeof FIGURES)[number],
  before: readonly Turn[],
  now: readonly Turn[],
): readonly string[] {
  const [old, own] = [before, now].map((turns) =>
    percentile(
      turns.map((turn) => turn[pick]),
      0.5,
    ),
  );
  if (old === undefined || own === undefined) return [name];
  return [name, `${old.toFixed(1)} ms`, `${own.toFixed(1)} ms`, (own / old).toFixed(2)];
}

const [first, second = path.join(import.meta.dirname, '..', 'bin', 'podkeep')] =
  process.argv.slice(2);
if (first === undefined) throw new Error('usage: npm run bench:compare -- OLD [NEW]');
const turns = Number(process.env['TURNS'] ?? 5);
const [before, now]: [Turn[], Turn[]] = [[], []];
for (let turn = 0; turn < turns; turn++) {
  before.push(await takeTurn(path.resolve(first)));
  now.push(await takeTurn(path.resolve(second)));
  const rows = FIGURES.map((figure) => rowOf(figure, before, now));
  console.log(`${formatTable([`after ${turn + 1} turns each`, 'old', 'new', 'ratio'], rows)}\n`);
}
