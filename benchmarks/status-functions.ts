/**
 * Measures the functions that run for every status: merge, normalise, equal, two-way patch.
 *
 * Times depend on the machine, so each is also printed as a ratio to a reference in the same run: printing
 * the status once with JSON.stringify.
 */
import { Bench } from 'tinybench';
import { createTwoWayMergePatch } from '../src/api/patch/two-way-merge-patch.ts';
import type { PodStatus } from '../src/api/pod.ts';
import { structOf } from '../src/api/schema/schema.ts';
import { mergeStatus } from '../src/core/pod-status/merge-status.ts';
import { normalizeStatus } from '../src/core/pod-status/normalize-status.ts';
import { isStatusEqual } from '../src/core/pod-status/status-equality.ts';
import { podOf } from './pods.ts';
import { formatTable } from './table.ts';

const NOW = '2026-01-02T03:05:00Z';
const SIZES = [2, 30];
/**
 * Comparing an unchanged status costs a pointer comparison: it must be at least this many times faster than
 * comparing a deep copy.
 */
const EQUAL_RATIO_MIN = 50;

interface Case {
  readonly name: string;
  readonly run: () => unknown;
}

export async function benchStatusFunctions(print: (line: string) => void): Promise<void> {
  const rows: string[][] = [];
  for (const size of SIZES) {
    const bench = new Bench({ time: 300, warmupTime: 100 });
    const cases = casesOf(size);
    for (const { name, run } of cases) bench.add(name, run);
    await bench.run();
    const nanos = new Map(bench.tasks.map((task) => [task.name, nanosOf(task)]));
    const limit = nanos.get('JSON.stringify(status)') ?? Number.NaN;
    for (const { name } of cases) {
      const time = nanos.get(name) ?? Number.NaN;
      rows.push([`${size} containers: ${name}`, time.toFixed(0), (time / limit).toFixed(3)]);
    }
    const same = nanos.get('equal, unchanged') ?? Number.NaN;
    const copied = nanos.get('equal, deep-copied') ?? Number.NaN;
    const ratio = copied / same;
    rows.push([
      `${size} containers: deep-copied / unchanged`,
      '',
      `${ratio.toFixed(0)}x (at least ${EQUAL_RATIO_MIN}: ${ratio >= EQUAL_RATIO_MIN ? 'yes' : 'NO'})`,
    ]);
    if (ratio < EQUAL_RATIO_MIN) process.exitCode = 1;
  }
  print(formatTable(['status functions', 'ns/call', 'of JSON.stringify'], rows));
}

function casesOf(size: number): readonly Case[] {
  const pod = podOf(size);
  const status = pod.status ?? {};
  const copied = structuredClone(status);
  const unready = withOneUnready(status);
  const type = structOf('core/v1.Pod');
  const merge = { pod, old: status, couldHaveRunningContainers: true, now: NOW };
  const fractions = { ...status, startTime: '2026-01-02T03:04:05.678Z' };
  return [
    { name: 'JSON.stringify(status)', run: () => JSON.stringify(status) },
    { name: 'merge', run: () => mergeStatus({ ...merge, status: unready }) },
    { name: 'normalise, in form already', run: () => normalizeStatus(pod, status) },
    { name: 'normalise, one time to cut', run: () => normalizeStatus(pod, fractions) },
    { name: 'equal, unchanged', run: () => isStatusEqual(status, status) },
    { name: 'equal, one container differs', run: () => isStatusEqual(status, unready) },
    { name: 'equal, deep-copied', run: () => isStatusEqual(status, copied) },
    {
      name: 'two-way patch, one container differs',
      run: () => createTwoWayMergePatch({ status }, { status: unready }, type),
    },
    {
      name: 'two-way patch, deep-copied',
      run: () => createTwoWayMergePatch({ status }, { status: copied }, type),
    },
  ];
}

/** After a failed readiness probe: two conditions and one container differ. */
function withOneUnready(status: PodStatus): PodStatus {
  const { conditions = [], containerStatuses = [] } = status;
  return {
    ...status,
    conditions: conditions.map((condition) =>
      condition.type === 'Ready' || condition.type === 'ContainersReady'
        ? { ...condition, status: 'False', reason: 'ContainersNotReady' }
        : condition,
    ),
    containerStatuses: containerStatuses.map((container, index) =>
      index === containerStatuses.length - 1 ? { ...container, ready: false } : container,
    ),
  };
}

function nanosOf(task: Bench['tasks'][number]): number {
  return task.result.state === 'completed' ? task.result.latency.p50 * 1e6 : Number.NaN;
}
