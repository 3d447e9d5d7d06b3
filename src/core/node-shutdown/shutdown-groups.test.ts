import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import recorded from './recorded-groups.json' with { type: 'json' };
import {
  shutdownGraceSeconds,
  shutdownGroups,
  shutdownPeriods,
  shutdownSeconds,
  shutdownWaitSeconds,
} from './shutdown-groups.ts';

function podOf(name: string, priority?: number, graceSeconds?: number): Pod {
  const spec = {
    containers: [],
    ...(priority !== undefined && { priority }),
    ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
  };
  return { metadata: { name }, spec };
}

const names = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name ?? '');

describe('as the kubelet of Kubernetes v1.36 groups pods', () => {
  test.each(recorded.configurations)('%o', (one) => {
    const periods = shutdownPeriods({
      shutdownGracePeriodMs: one.requestedSeconds * 1000,
      shutdownGracePeriodCriticalPodsMs: one.criticalSeconds * 1000,
      shutdownGracePeriodByPodPriority: one.byPriority,
    });
    expect(periods).toEqual(one.periods);
    expect(shutdownSeconds(periods)).toBe(one.totalSeconds);
    if (periods.length === 0) return;
    const pods = recorded.pods.map(({ name, priority }) => podOf(name, priority));
    const groups = shutdownGroups(periods, pods);
    // The kubelet lists empty groups, and skips them when it ends pods.
    expect(groups.map((group) => names(group.pods))).toEqual(
      one.groups.filter((group) => group.length > 0),
    );
  });
});

test('every pod is in one group, and groups come in the order of their priorities', () => {
  const priority = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const period = fc.record({ priority, shutdownGracePeriodSeconds: fc.nat(100) });
  const pods = fc.array(fc.option(priority, { nil: undefined }));
  const law = fc.property(fc.array(period, { minLength: 1 }), pods, (byPriority, priorities) => {
    const periods = shutdownPeriods({
      shutdownGracePeriodMs: 0,
      shutdownGracePeriodCriticalPodsMs: 0,
      shutdownGracePeriodByPodPriority: byPriority,
    });
    const all = priorities.map((one, index) => podOf(`p${index}`, one));
    const groups = shutdownGroups(periods, all);
    const inGroups = groups.flatMap((group) => names(group.pods));
    expect(inGroups.toSorted()).toEqual(names(all).toSorted());
    const order = groups.map((group) => group.priority);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
  fc.assert(law);
});

test('a pod gets the shorter of its own grace period and that of its group', () => {
  const group = { priority: 0, graceSeconds: 10, pods: [] };
  expect(shutdownGraceSeconds(group, podOf('a', 0, 3))).toBe(3);
  expect(shutdownGraceSeconds(group, podOf('a', 0, 0))).toBe(0);
  expect(shutdownGraceSeconds(group, podOf('a', 0, 30))).toBe(10);
  expect(shutdownGraceSeconds(group, podOf('a'))).toBe(10);
  expect(shutdownGraceSeconds({ ...group, graceSeconds: null }, podOf('a', 0, 30))).toBeUndefined();
});

test('without periods all pods are one group, and the slowest decides how long to wait', () => {
  const pods = [podOf('a', 5, 10), podOf('b', 0, 60)];
  const groups = shutdownGroups([], pods);
  expect(groups).toEqual([{ priority: 0, graceSeconds: null, pods }]);
  expect(groups.map(shutdownWaitSeconds)).toEqual([100]);
  expect(shutdownWaitSeconds({ priority: 0, graceSeconds: null, pods: [podOf('a', 0, 0)] })).toBe(
    20,
  );
  expect(shutdownWaitSeconds({ priority: 0, graceSeconds: 7, pods })).toBe(7);
});
