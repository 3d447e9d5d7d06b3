/**
 * Computes the usage in the window between the last two samples, by the rules of metrics-server.
 *
 *     previous ──────── window ──────── last
 *        └─ CPU time ──────────────────── CPU time      usage = difference / window
 *
 * 1. CPU usage needs two samples of the same run: a container that restarted in between has no usage until
 *    its next sample.
 * 2. A container that started less than one resolution (the interval between samples) before the sample, but
 *    at least 10 s before it, is measured since its start.
 * 3. A sample that is not newer than the last one replaces the last one; the previous one stays if it is
 *    older than the new sample.
 * 4. A pod is shown when the usage of all of its containers is known.
 */
import type { ResourceSamples, UsagePoint } from './resource-samples.ts';

export interface PointPair {
  readonly last: UsagePoint;
  /** Null: there is no rate yet. */
  readonly previous: UsagePoint | null;
}

/** The last two samples of one kubelet. */
export interface UsageWindow {
  readonly node: PointPair | null;
  /** As in ResourceSamples. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, PointPair>>;
}

export interface MeasuredUsage {
  /** Of the end of the window. */
  readonly timeMs: number;
  readonly windowMs: number;
  readonly nanoCores: number;
  readonly memoryBytes: number;
}

/** Rates of a younger container are too imprecise. */
const FRESH_MS_MIN = 10_000;

export function advanceUsageWindow(
  window: UsageWindow | undefined,
  samples: ResourceSamples,
  resolutionMs: number,
): UsageWindow {
  const pods = new Map<string, ReadonlyMap<string, PointPair>>();
  for (const [key, points] of samples.pods) {
    const before = window?.pods.get(key);
    const pairs = Array.from(points, ([name, point]) => {
      const since = sinceStart(point, resolutionMs);
      return [name, since ?? follow(before?.get(name), point)] as const;
    });
    pods.set(key, new Map(pairs));
  }
  return { node: samples.node && follow(window?.node ?? undefined, samples.node), pods };
}

/** Null: the node was sampled once. */
export function nodeUsageOf(window: UsageWindow | undefined): MeasuredUsage | null {
  return window?.node ? measure(window.node) : null;
}

/** By container; null: there is no complete window yet. */
export function podUsageOf(
  window: UsageWindow | undefined,
  key: string,
): ReadonlyMap<string, MeasuredUsage> | null {
  const measured = new Map<string, MeasuredUsage>();
  for (const [name, pair] of window?.pods.get(key) ?? []) {
    const usage = measure(pair);
    if (!usage) return null;
    measured.set(name, usage);
  }
  return measured.size === 0 ? null : measured;
}

function sinceStart(point: UsagePoint, resolutionMs: number): PointPair | null {
  const { startMs, timeMs } = point;
  if (startMs === null) return null;
  const ageMs = timeMs - startMs;
  if (ageMs < FRESH_MS_MIN || ageMs >= resolutionMs) return null;
  return { last: point, previous: { ...point, timeMs: startMs, cpuNanoseconds: 0 } };
}

function follow(before: PointPair | undefined, point: UsagePoint): PointPair {
  if (!before || (point.startMs !== null && point.startMs >= before.last.timeMs)) {
    return { last: point, previous: null };
  }
  if (point.timeMs > before.last.timeMs) return { last: point, previous: before.last };
  const { previous } = before;
  return { last: point, previous: previous && previous.timeMs < point.timeMs ? previous : null };
}

function measure({ last, previous }: PointPair): MeasuredUsage | null {
  if (!previous || last.cpuNanoseconds < previous.cpuNanoseconds) return null;
  const windowMs = last.timeMs - previous.timeMs;
  if (windowMs <= 0) return null;
  const nanoseconds = last.cpuNanoseconds - previous.cpuNanoseconds;
  return {
    timeMs: last.timeMs,
    windowMs,
    nanoCores: Math.floor((nanoseconds * 1000) / windowMs),
    memoryBytes: Math.floor(last.memoryBytes),
  };
}
