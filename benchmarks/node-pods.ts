/**
 * Measures how soon pods of the process runtime are ready, and gone after deletion: one by one, and fifty at
 * once.
 *
 * The lower bounds are measured in the same run: a bare process, and a durable commit. The CPU time is
 * printed, too; it hardly depends on other load on the machine.
 */
import { PodHarness, sleepingPod } from './node-clients.ts';
import {
  bareBurst,
  bareBurstApart,
  bareCommits,
  percentile,
  repeated,
  rowOf,
  runToEnd,
} from './node-figures.ts';
import { NodeProgram } from './node-program.ts';
import { formatTable } from './table.ts';

const SINGLES = 20;
const BURST = 50;
const BURSTS = 7;
const RATIO_MAX = 4;
const WARM_UPS = 3;

export interface Lives {
  /** For each pod, the time from the request to the watch event. */
  readonly readyMs: readonly number[];
  readonly goneMs: readonly number[];
  /** From the first request to the last watch event. */
  readonly allReadyMs: number;
  readonly allGoneMs: number;
}

/** Returns the resident megabytes of the program, idle and with the burst of pods. */
export async function benchNodePods(
  print: (line: string) => void,
): Promise<{ readonly idleMb: number; readonly busyMb: number }> {
  const program = new NodeProgram();
  try {
    await program.heard('node');
    const idleMb = program.residentMb();
    const harness = await PodHarness.open(program);
    try {
      await benchSingles(harness, print);
      return { idleMb, busyMb: await benchBurst(program, harness, print) };
    } finally {
      harness.close();
    }
  } finally {
    await program.stop();
  }
}

async function benchSingles(harness: PodHarness, print: (line: string) => void): Promise<void> {
  const lives: Lives[] = [];
  for (let n = 0; n < WARM_UPS + SINGLES; n++) lives.push(await live(harness, [`one-${n}`]));
  const measured = lives.slice(WARM_UPS);
  const of = (share: number, pick: (life: Lives) => number): number =>
    percentile(measured.map(pick), share);
  const ready = (life: Lives): number => life.allReadyMs;
  const gone = (life: Lives): number => life.allGoneMs;
  const spawns = await repeated(SINGLES, () => runToEnd('sleep', ['0']));
  const commits = await bareCommits(SINGLES);
  print(
    formatTable(
      [`one pod of a process (${SINGLES} times)`, 'median', 'at most'],
      [
        rowOf({ name: 'create -> Ready', measured: of(0.5, ready), most: 100 }),
        rowOf({ name: 'delete -> gone', measured: of(0.5, gone), most: 100 }),
        rowOf({ name: '(create -> Ready, the slowest tenth)', measured: of(0.9, ready) }),
        rowOf({ name: '(delete -> gone, the slowest tenth)', measured: of(0.9, gone) }),
        rowOf({ name: '(a bare process)', measured: percentile(spawns, 0.5) }),
        rowOf({ name: '(a bare durable commit)', measured: percentile(commits, 0.5) }),
      ],
    ),
  );
}

interface Burst extends Lives {
  /** The time of the same number of bare processes and durable commits. */
  readonly bareMs: number;
  readonly cpuMs: number;
  readonly busyMb: number;
}

/** The first burst runs on a cold program, so it is printed separately. */
async function benchBurst(
  program: NodeProgram,
  harness: PodHarness,
  print: (line: string) => void,
): Promise<number> {
  const bursts: Burst[] = [];
  for (let n = 0; n < BURSTS; n++) bursts.push(await burst(program, harness, `burst-${n}`));
  const of = (pick: (each: Burst) => number): number => percentile(bursts.map(pick), 0.5);
  const median = (each: Burst): number => percentile(each.readyMs, 0.5);
  const bare = of((each) => each.bareMs);
  const bareApart = await bareBurstApart(BURST);
  const most = RATIO_MAX * bare;
  const [first] = bursts;
  print(
    formatTable(
      [`${BURST} pods of processes at once (${BURSTS} times)`, 'median', 'at most'],
      [
        rowOf({ name: 'create -> Ready, median of the pods', measured: of(median), most: 500 }),
        rowOf({ name: 'create -> all of them Ready', measured: of((b) => b.allReadyMs), most }),
        rowOf({
          name: 'delete -> gone, median of the pods',
          measured: of((b) => percentile(b.goneMs, 0.5)),
        }),
        rowOf({ name: 'delete -> all of them gone', measured: of((b) => b.allGoneMs), most }),
        rowOf({ name: `(${BURST} bare processes and durable commits)`, measured: bare }),
        rowOf({ name: '(the same from a small process)', measured: bareApart }),
        rowOf({
          name: '(create -> Ready in the first burst)',
          measured: first ? median(first) : Number.NaN,
        }),
        rowOf({
          name: '(all of them Ready in the first burst)',
          measured: first?.allReadyMs ?? Number.NaN,
        }),
        rowOf({ name: '(CPU of podkeep per pod, until Ready)', measured: of((b) => b.cpuMs) }),
      ],
    ),
  );
  return Math.max(...bursts.map((each) => each.busyMb));
}

async function burst(program: NodeProgram, harness: PodHarness, name: string): Promise<Burst> {
  const names = Array.from({ length: BURST }, (_, n) => `${name}-${n}`);
  const before = await bareBurst(BURST);
  const cpu = program.cpuMs().own;
  let [busyMb, cpuMs] = [Number.NaN, Number.NaN];
  const life = await live(harness, names, () => {
    cpuMs = (program.cpuMs().own - cpu) / BURST;
    busyMb = program.residentMb();
  });
  const bareMs = (before + (await bareBurst(BURST))) / 2;
  return { ...life, bareMs, cpuMs, busyMb };
}

/** Creates all pods at once, waits until all are ready, deletes all, and waits until all are gone. */
export async function live(
  harness: PodHarness,
  names: readonly string[],
  onReady: () => void = () => {},
): Promise<Lives> {
  const [readyMs, allReadyMs] = await timeAll(names, async (name) => {
    const sentMs = await harness.create(sleepingPod(name));
    return (await harness.ready(name)) - sentMs;
  });
  onReady();
  const [goneMs, allGoneMs] = await timeAll(names, async (name) => {
    const sentMs = await harness.delete(name);
    return (await harness.gone(name)) - sentMs;
  });
  return { readyMs, goneMs, allReadyMs, allGoneMs };
}

async function timeAll(
  names: readonly string[],
  act: (name: string) => Promise<number>,
): Promise<readonly [each: readonly number[], all: number]> {
  const startMs = performance.now();
  const each = await Promise.all(names.map(act));
  return [each, performance.now() - startMs];
}
