import { describe, expect, test } from 'vitest';
import type { Summary } from '../../core/pod-worker/query.ts';
import { KubeletMetrics } from './kubelet-metrics.ts';
import { linesOf } from './metric-lines.ts';

const DESIRED: Summary = { state: 'sync', orphan: false, hasConfig: true, static: false };

function working(workers: readonly Summary[], metrics = new KubeletMetrics()): readonly string[] {
  metrics.housekeeping.workersCounted(workers);
  return linesOf(metrics, 'kubelet_working_pods');
}

test('desired and active pods are counted separately for static ones', () => {
  const metrics = new KubeletMetrics();
  metrics.housekeeping.podsCounted({
    desired: { regular: 5, static: 2 },
    active: { regular: 4, static: 1 },
    mirrorPods: 2,
  });
  expect(linesOf(metrics, 'kubelet_desired_pods')).toEqual(['{static=""} 5', '{static="true"} 2']);
  expect(linesOf(metrics, 'kubelet_active_pods')).toEqual(['{static=""} 4', '{static="true"} 1']);
  expect(linesOf(metrics, 'kubelet_mirror_pods')).toEqual([' 2']);
});

test('restarts and orphans add up over time', () => {
  const metrics = new KubeletMetrics();
  const { housekeeping } = metrics;
  housekeeping.podsRestarted({ regular: 0, static: 1 });
  housekeeping.podsRestarted({ regular: 0, static: 2 });
  housekeeping.orphansFound(1);
  housekeeping.orphansFound(0);
  expect(linesOf(metrics, 'kubelet_restarted_pods_total')).toEqual([
    '{static=""} 0',
    '{static="true"} 3',
  ]);
  expect(linesOf(metrics, 'kubelet_orphaned_runtime_pods_total')).toEqual([' 1']);
});

describe('workers (PW-66)', () => {
  test('without any, every kind is shown as zero', () => {
    const lines = working([]);
    expect(lines).toHaveLength(15);
    expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  });

  test.each<[string, Partial<Summary>, string]>([
    ['a desired pod', {}, 'config="desired",lifecycle="sync",static=""'],
    ['a static pod', { static: true }, 'config="desired",lifecycle="sync",static="true"'],
    [
      'an orphan that stops',
      { orphan: true, state: 'terminating' },
      'config="orphan",lifecycle="terminating",static=""',
    ],
    [
      'a static orphan that has stopped',
      { orphan: true, static: true, state: 'terminated' },
      'config="orphan",lifecycle="terminated",static="true"',
    ],
    [
      'what runs without a spec',
      { orphan: true, hasConfig: false, state: 'terminating' },
      'config="runtime_only",lifecycle="terminating",static="unknown"',
    ],
    [
      'what runs without a spec though its pod is desired again',
      { hasConfig: false, state: 'terminated' },
      'config="runtime_only",lifecycle="terminated",static="unknown"',
    ],
  ])('%s is counted as what it is', (_case, traits, labels) => {
    const lines = working([{ ...DESIRED, ...traits }]);
    expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([`{${labels}} 1`]);
    expect(lines).toHaveLength(15);
  });

  test('each count starts again', () => {
    const metrics = new KubeletMetrics();
    expect(working([DESIRED, DESIRED], metrics)).toContain(
      '{config="desired",lifecycle="sync",static=""} 2',
    );
    expect(working([DESIRED], metrics)).toContain(
      '{config="desired",lifecycle="sync",static=""} 1',
    );
  });
});
