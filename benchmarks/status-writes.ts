/**
 * Measures status writes when many pods change at once: how soon the API has all statuses, and the CPU cost.
 *
 * The API is in memory and answers after a given time, so this measures the status manager. Each figure is
 * compared with a reference: the time that the API itself takes for as many requests, the client's rate
 * limit, or the cost with few pods.
 */
import type { Pod, PodStatus } from '../src/api/pod.ts';
import { StatusManager } from '../src/kubelet/status-manager/status-manager.ts';
import { systemClock as clock } from '../src/platform/system-clock.ts';
import { MemoryApi } from '../test/support/memory-api.ts';
import { MemoryPodManager } from '../test/support/memory-pod-manager.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../test/support/silent-ports.ts';
import { podOf } from './pods.ts';
import { formatTable } from './table.ts';

interface Limits {
  readonly qps?: number;
  readonly burst?: number;
}

const NO_LIMIT: Limits = { qps: -1 };
const LATENCY_MS = 5;
const WINDOW = 32;
const CHANGES = 10_000;

export async function benchStatusWrites(print: (line: string) => void): Promise<void> {
  // The CPU part comes first, because it warms up the code that the others time.
  const few = await median(() => cpuPerChange(100), 3);
  const many = await median(() => cpuPerChange(CHANGES), 3);
  const unlimited = await median(() => timeOneChange(110, LATENCY_MS, NO_LIMIT));
  const limited = await median(() => timeOneChange(110, LATENCY_MS, {}), 3);
  const bare = Math.ceil(110 / WINDOW) * LATENCY_MS;
  const bucket = ((110 - 100) / 50) * 1000;
  print(
    formatTable(
      ['status writes', 'measured', 'against', 'ratio', 'at most'],
      [
        row('110 pods at once, 5 ms API, no client limit', unlimited, bare, 60 / bare, 'ms'),
        row('110 pods at once, 5 ms API, 50 qps, burst 100', limited, bucket, 1.2, 'ms'),
        row('CPU per change, 10,000 pods against 100', many, few, 1.3, 'µs'),
      ],
    ),
  );
}

function row(
  name: string,
  measured: number,
  against: number,
  most: number,
  unit: string,
): readonly string[] {
  const ratio = measured / against;
  const result = ratio <= most ? 'yes' : 'NO';
  const [a, b] = [measured, against].map((value) => `${value.toFixed(1)} ${unit}`);
  return [name, a ?? '', b ?? '', ratio.toFixed(2), `${most.toFixed(2)}: ${result}`];
}

/** Milliseconds from the first change until the API has acknowledged the last. */
async function timeOneChange(count: number, latencyMs: number, limits: Limits): Promise<number> {
  const world = makeWorld(count, latencyMs, limits);
  const start = performance.now();
  await world.changeAll(0);
  const took = performance.now() - start;
  await world.manager.stop();
  return took;
}

/** Microseconds of this process for each change, when `count` pods change at once. */
async function cpuPerChange(count: number): Promise<number> {
  const world = makeWorld(count, null, NO_LIMIT);
  await world.changeAll(0);
  const rounds = CHANGES / count;
  const start = process.cpuUsage();
  for (let round = 1; round <= rounds; round++) await world.changeAll(round);
  const { user, system } = process.cpuUsage(start);
  await world.manager.stop();
  return (user + system) / CHANGES;
}

function makeWorld(count: number, latencyMs: number | null, limits: Limits) {
  const api = new MemoryApi({
    clock,
    ...(latencyMs === null ? undefined : { fault: () => ({ latencyMs }) }),
  });
  const podManager = new MemoryPodManager();
  let written = (): void => {};
  const manager = new StatusManager({
    clock,
    random: { next: () => 0 },
    api,
    pods: podManager,
    probes: noProbes,
    decisions: silentDecisions,
    log: silentLog,
    observer: { ...silentStatusObserver, statusWritten: () => written() },
    couldHaveRunningContainers: () => true,
    ...limits,
  });
  const pods = Array.from({ length: count }, (_, index) => api.put(numbered(podOf(2), index)));
  for (const pod of pods) {
    podManager.set(pod);
    manager.apiPodSeen(pod);
  }
  manager.start();
  const changeAll = (round: number): Promise<void> =>
    new Promise((resolve) => {
      let missing = count;
      written = () => {
        missing -= 1;
        if (missing === 0) resolve();
      };
      for (const pod of pods) manager.setPodStatus(pod, changed(pod.status ?? {}, round));
    });
  return { manager, changeAll };
}

function numbered(pod: Pod, index: number): Pod {
  return { ...pod, metadata: { ...pod.metadata, name: `web-${index}`, uid: `uid-${index}` } };
}

function changed(status: PodStatus, round: number): PodStatus {
  const [first, ...rest] = status.containerStatuses ?? [];
  return first
    ? { ...status, containerStatuses: [{ ...first, restartCount: 2 + round }, ...rest] }
    : status;
}

async function median(measure: () => Promise<number>, times = 7): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < times; run++) values.push(await measure());
  return values.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN;
}
