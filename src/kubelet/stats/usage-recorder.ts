/**
 * Records the resource usage of the node and its pods for one hour:
 *
 *     the newest 5 minutes   every 15 s
 *     the hour               one point a minute: mean and maximum
 *
 * 1. A pod takes 3.5 KiB, and at most 1,000 pods are recorded; beyond that, the pod that was measured the
 *    longest time ago is dropped.
 * 2. A pod that is gone is kept for the rest of the hour.
 * 3. While the runtime does not answer, nothing is recorded: the series has a gap and not zeros.
 */
import type { PodReference } from '../../api/pod-reference.ts';
import { formatTime } from '../../api/values/time.ts';
import { DownsampledSeries, type SeriesPoint } from '../../lib/downsampled-series.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LoadResource } from '../../core/node/node-load.ts';
import { nodeLoadIn, type NodeFileSystem } from './node-load-reader.ts';
import type { Usage } from './usage-reader.ts';

export interface UsageRecorderDeps extends NodeFileSystem {
  readonly clock: Clock;
  readonly log: Log;
  /** Rejects if the runtime does not answer. */
  readonly usage: { read(): Promise<Usage> };
}

interface RecordedPod {
  readonly pod: PodReference;
  readonly series: DownsampledSeries;
}

const SAMPLE_MS = 15_000;
const HOUR_MS = 3_600_000;
const PODS_MAX = 1000;
const PERIODS = { samplesMax: 20, periodMs: 60_000, periodsMax: 60 };
const POD_VALUES = ['cpuCores', 'memoryWorkingSetBytes'] as const;
const LOADS: readonly LoadResource[] = ['cpu', 'memory', 'disk', 'inodes', 'pids', 'io'];
const NODE_VALUES = [...POD_VALUES, ...LOADS.map((resource) => `${resource}Saturation`)];
const NANOCORES_PER_CORE = 1e9;

export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #node = new DownsampledSeries({ ...PERIODS, width: NODE_VALUES.length });
  /** By UID, the one that was measured last at the end. */
  readonly #pods = new Map<string, RecordedPod>();
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(deps: UsageRecorderDeps) {
    this.#deps = deps;
  }

  /** The first sample is taken after 15 s, because a node that starts has other work. */
  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#deps.clock.after(SAMPLE_MS, () => void this.#sampleAndWait());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Never rejects. */
  async sample(): Promise<void> {
    const { usage, log } = this.#deps;
    try {
      const read = await usage.read();
      await this.#record(read);
    } catch (error) {
      log.debug('Failed to record the usage of the node', { error });
    }
  }

  /** `matched`: the UIDs of the requested pods. Null: all pods. */
  report(nodeName: string, matched: ReadonlySet<string> | null): JsonObject {
    const pods = [...this.#pods.values()].filter(({ pod }) => matched?.has(pod.uid) ?? true);
    return {
      node: { name: nodeName, points: pointsJson(this.#node, NODE_VALUES) },
      pods: pods.map(({ pod: { namespace, name, uid }, series }) => {
        return { namespace, name, uid, points: pointsJson(series, POD_VALUES) };
      }),
    };
  }

  async #sampleAndWait(): Promise<void> {
    await this.sample();
    this.start();
  }

  async #record(usage: Usage): Promise<void> {
    const { machine, cpu, pods } = usage;
    const { saturation } = await nodeLoadIn(usage, this.#deps);
    const atMs = this.#deps.clock.now();
    this.#node.add(atMs, [
      coresOf(cpu),
      machine.memory.workingSetBytes,
      ...LOADS.map((resource) => saturation.get(resource) ?? Number.NaN),
    ]);
    for (const { pod, cpu: used, memory } of pods) {
      const series =
        this.#pods.get(pod.uid)?.series ??
        new DownsampledSeries({ ...PERIODS, width: POD_VALUES.length });
      series.add(atMs, [coresOf(used), memory?.workingSetBytes ?? Number.NaN]);
      this.#pods.delete(pod.uid);
      this.#pods.set(pod.uid, { pod, series });
    }
    this.#forget(atMs);
  }

  #forget(atMs: number): void {
    for (const [uid, { series }] of this.#pods) {
      const isOld = atMs - (series.newestMs ?? atMs) >= HOUR_MS;
      if (!isOld && this.#pods.size <= PODS_MAX) return;
      this.#pods.delete(uid);
    }
  }
}

/** NaN: there are no two samples yet. */
function coresOf(cpu: { readonly nanoCores?: number } | undefined): number {
  return cpu?.nanoCores === undefined ? Number.NaN : cpu.nanoCores / NANOCORES_PER_CORE;
}

function pointsJson(series: DownsampledSeries, names: readonly string[]): readonly JsonObject[] {
  return series.points().map(({ atMs, mean, max }) => {
    const at = formatTime(atMs);
    return { at, mean: valuesJson(names, mean), max: valuesJson(names, max) };
  });
}

/** Unknown values are absent. */
function valuesJson(names: readonly string[], values: SeriesPoint['mean']): JsonObject {
  return Object.fromEntries(
    names.flatMap((name, index) => {
      const value = values[index] ?? null;
      return value === null ? [] : [[name, value] as const];
    }),
  );
}
