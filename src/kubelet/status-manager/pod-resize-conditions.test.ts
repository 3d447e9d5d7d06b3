import { beforeEach, describe, expect, test } from 'vitest';
import type { StatusObserver } from '../../ports/observe/status-observer.ts';
import { condition, NOW, podOf } from '../../../test/support/pod-parts.ts';
import { silentStatusObserver } from '../../../test/support/silent-ports.ts';
import { PodResizeConditions } from './pod-resize-conditions.ts';

type Counts = Parameters<StatusObserver['resizesChanged']>[0];

let counted: Counts[] = [];
let conditions: PodResizeConditions;

beforeEach(() => {
  counted = [];
  const observer = {
    ...silentStatusObserver,
    resizesChanged: (counts: Counts) => void counted.push(counts),
  };
  conditions = new PodResizeConditions(observer, () => NOW);
});

/** The last count, as `deferred infeasible inProgress`. */
function lastCount(): string {
  const last = counted.at(-1);
  const { deferred, infeasible } = last?.pendingByReason ?? {};
  return `${deferred} ${infeasible} ${last?.inProgress}`;
}

function shown(uid: string): readonly string[] {
  return conditions.list(uid).map((each) => {
    const words = [each.reason, each.message].filter(Boolean).join(': ');
    return `${each.type} ${each.observedGeneration} ${words}`.trim();
  });
}

test('TestPodResizeConditions: set, kept, cleared and set again', () => {
  const uid = '12345';
  expect(shown(uid)).toEqual([]);

  const first = { reason: 'some-reason', message: 'some-message', generation: 1 };
  expect(conditions.setInProgress(uid, first)).toEqual({ generation: 1, changed: true });
  expect(shown(uid)).toEqual(['PodResizeInProgress 1 some-reason: some-message']);

  const silent = { reason: '', message: '', generation: 1 };
  expect(conditions.setInProgress(uid, silent)).toEqual({ generation: 1, changed: false });
  expect(conditions.setInProgress(uid, { ...silent, generation: 2 })).toEqual({
    generation: 1,
    changed: false,
  });
  expect(shown(uid)).toEqual(['PodResizeInProgress 1 some-reason: some-message']);

  expect(conditions.clearInProgress(uid)).toBe(1);
  expect(conditions.setInProgress(uid, { ...silent, generation: 2 })).toEqual({
    generation: 2,
    changed: true,
  });
  expect(shown(uid)).toEqual(['PodResizeInProgress 2']);

  expect(conditions.setPending(uid, first)).toBe(true);
  expect(conditions.setPending(uid, { ...first, message: 'another' })).toBe(false);
  expect(shown(uid)).toEqual(['PodResizePending 1 Deferred: another', 'PodResizeInProgress 2']);
  expect(conditions.setPending(uid, { ...first, reason: 'Infeasible', generation: 3 })).toBe(true);
  expect(shown(uid)).toEqual([
    'PodResizePending 3 Infeasible: some-message',
    'PodResizeInProgress 2',
  ]);

  expect(conditions.clearInProgress(uid)).toBe(2);
  conditions.clearPending(uid);
  expect(shown(uid)).toEqual([]);
});

test('TestClearPodResizeInProgressCondition: the generation that was in progress, or null', () => {
  expect(conditions.clearInProgress('a')).toBeNull();
  conditions.setInProgress('a', { reason: '', message: '', generation: 5 });
  expect(conditions.clearInProgress('a')).toBe(5);
  expect(conditions.clearInProgress('a')).toBeNull();
  conditions.setInProgress('a', { reason: '', message: '', generation: 0 });
  expect(conditions.clearInProgress('a'), 'no generation is zero, as in Go').toBe(0);
});

describe('SM-101: counts', () => {
  const report = { reason: 'Deferred', message: '', generation: 1 };

  test('pods are counted as pending by reason, and as in progress', () => {
    conditions.setPending('a', report);
    conditions.setPending('b', report);
    conditions.setPending('c', { ...report, reason: 'Infeasible' });
    conditions.setInProgress('d', report);
    expect(lastCount()).toBe('2 1 1');
  });

  test('a changed reason is counted again, which the kubelet forgets', () => {
    conditions.setPending('a', report);
    conditions.setPending('a', { ...report, reason: 'Infeasible' });
    expect(lastCount()).toBe('0 1 0');
  });

  test('a cleared or forgotten condition is not counted any more', () => {
    conditions.setPending('a', report);
    conditions.setInProgress('a', report);
    conditions.clearPending('a');
    expect(lastCount()).toBe('0 0 1');
    conditions.setPending('b', report);
    conditions.forget('a');
    expect(lastCount()).toBe('1 0 0');
  });

  test('clearing or forgetting a missing condition changes no count', () => {
    conditions.setPending('a', report);
    conditions.clearPending('b');
    conditions.clearInProgress('a');
    conditions.forget('b');
    expect(lastCount()).toBe('1 0 0');
  });
});

describe('SM-100: after a restart', () => {
  const pending = condition('PodResizePending', 'True', {
    reason: 'Infeasible',
    observedGeneration: 2,
  });
  const inProgress = condition('PodResizeInProgress', 'True', { observedGeneration: 1 });

  test('each pod has the conditions of the API, and all are counted', () => {
    conditions.backfill([
      podOf({}, { metadata: { uid: 'a' }, status: { conditions: [inProgress, pending] } }),
      podOf({}, { metadata: { uid: 'b' }, status: { conditions: [inProgress] } }),
      podOf({}, { metadata: { uid: 'c' } }),
    ]);
    expect(shown('a')).toEqual(['PodResizePending 2 Infeasible', 'PodResizeInProgress 1']);
    expect(shown('b')).toEqual(['PodResizeInProgress 1']);
    expect(shown('c')).toEqual([]);
    expect(counted).toEqual([{ pendingByReason: { deferred: 0, infeasible: 1 }, inProgress: 2 }]);
  });

  test('conditions that were set before and are not in the API stay', () => {
    conditions.setPending('a', { reason: 'Deferred', message: '', generation: 3 });
    conditions.backfill([
      podOf({}, { metadata: { uid: 'a' }, status: { conditions: [inProgress] } }),
    ]);
    expect(shown('a')).toEqual(['PodResizePending 3 Deferred', 'PodResizeInProgress 1']);
  });

  test('they are counted even if there are none, so that metrics begin at zero', () => {
    conditions.backfill([]);
    expect(lastCount()).toBe('0 0 0');
  });
});
