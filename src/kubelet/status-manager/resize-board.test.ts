import { beforeEach, describe, expect, test } from 'vitest';
import type { StatusObserver } from '../../ports/status-observer.ts';
import { condition, NOW, podOf } from '../../../test/support/pod-parts.ts';
import { silentStatusObserver } from '../../../test/support/silent-ports.ts';
import { ResizeBoard } from './resize-board.ts';

type Counts = Parameters<StatusObserver['resizesChanged']>[0];

let counted: Counts[] = [];
let board: ResizeBoard;

beforeEach(() => {
  counted = [];
  const observer = {
    ...silentStatusObserver,
    resizesChanged: (counts: Counts) => void counted.push(counts),
  };
  board = new ResizeBoard(observer, () => NOW);
});

/** The last count, as `deferred infeasible inProgress`. */
function lastCount(): string {
  const last = counted.at(-1);
  const { deferred, infeasible } = last?.pendingByReason ?? {};
  return `${deferred} ${infeasible} ${last?.inProgress}`;
}

function shown(uid: string): readonly string[] {
  return board.list(uid).map((each) => {
    const words = [each.reason, each.message].filter(Boolean).join(': ');
    return `${each.type} ${each.observedGeneration} ${words}`.trim();
  });
}

test('TestPodResizeConditions: set, kept, cleared and set again', () => {
  const uid = '12345';
  expect(shown(uid)).toEqual([]);

  const first = { reason: 'some-reason', message: 'some-message', generation: 1 };
  expect(board.setInProgress(uid, first)).toEqual({ generation: 1, changed: true });
  expect(shown(uid)).toEqual(['PodResizeInProgress 1 some-reason: some-message']);

  const silent = { reason: '', message: '', generation: 1 };
  expect(board.setInProgress(uid, silent)).toEqual({ generation: 1, changed: false });
  expect(board.setInProgress(uid, { ...silent, generation: 2 })).toEqual({
    generation: 1,
    changed: false,
  });
  expect(shown(uid)).toEqual(['PodResizeInProgress 1 some-reason: some-message']);

  expect(board.clearInProgress(uid)).toBe(1);
  expect(board.setInProgress(uid, { ...silent, generation: 2 })).toEqual({
    generation: 2,
    changed: true,
  });
  expect(shown(uid)).toEqual(['PodResizeInProgress 2']);

  expect(board.setPending(uid, first)).toBe(true);
  expect(board.setPending(uid, { ...first, message: 'another' })).toBe(false);
  expect(shown(uid)).toEqual(['PodResizePending 1 Deferred: another', 'PodResizeInProgress 2']);
  expect(board.setPending(uid, { ...first, reason: 'Infeasible', generation: 3 })).toBe(true);
  expect(shown(uid)).toEqual([
    'PodResizePending 3 Infeasible: some-message',
    'PodResizeInProgress 2',
  ]);

  expect(board.clearInProgress(uid)).toBe(2);
  board.clearPending(uid);
  expect(shown(uid)).toEqual([]);
});

test('TestClearPodResizeInProgressCondition: the generation that was in progress, or null', () => {
  expect(board.clearInProgress('a')).toBeNull();
  board.setInProgress('a', { reason: '', message: '', generation: 5 });
  expect(board.clearInProgress('a')).toBe(5);
  expect(board.clearInProgress('a')).toBeNull();
  board.setInProgress('a', { reason: '', message: '', generation: 0 });
  expect(board.clearInProgress('a'), 'no generation is zero, as in Go').toBe(0);
});

describe('SM-101: counts', () => {
  const report = { reason: 'Deferred', message: '', generation: 1 };

  test('pods wait by reason, and are at it', () => {
    board.setPending('a', report);
    board.setPending('b', report);
    board.setPending('c', { ...report, reason: 'Infeasible' });
    board.setInProgress('d', report);
    expect(lastCount()).toBe('2 1 1');
  });

  test('a reason that flips is counted anew, which the kubelet forgets', () => {
    board.setPending('a', report);
    board.setPending('a', { ...report, reason: 'Infeasible' });
    expect(lastCount()).toBe('0 1 0');
  });

  test('what is cleared or forgotten is not counted any more', () => {
    board.setPending('a', report);
    board.setInProgress('a', report);
    board.clearPending('a');
    expect(lastCount()).toBe('0 0 1');
    board.setPending('b', report);
    board.forget('a');
    expect(lastCount()).toBe('1 0 0');
  });

  test('what was not there changes no count when it is cleared or forgotten', () => {
    board.setPending('a', report);
    board.clearPending('b');
    board.clearInProgress('a');
    board.forget('b');
    expect(lastCount()).toBe('1 0 0');
  });
});

describe('SM-100: after a restart', () => {
  const pending = condition('PodResizePending', 'True', {
    reason: 'Infeasible',
    observedGeneration: 2,
  });
  const inProgress = condition('PodResizeInProgress', 'True', { observedGeneration: 1 });

  test('each pod has what the API says, and all are counted', () => {
    board.backfill([
      podOf({}, { metadata: { uid: 'a' }, status: { conditions: [inProgress, pending] } }),
      podOf({}, { metadata: { uid: 'b' }, status: { conditions: [inProgress] } }),
      podOf({}, { metadata: { uid: 'c' } }),
    ]);
    expect(shown('a')).toEqual(['PodResizePending 2 Infeasible', 'PodResizeInProgress 1']);
    expect(shown('b')).toEqual(['PodResizeInProgress 1']);
    expect(shown('c')).toEqual([]);
    expect(counted).toEqual([{ pendingByReason: { deferred: 0, infeasible: 1 }, inProgress: 2 }]);
  });

  test('what was set before and the API does not know of stays', () => {
    board.setPending('a', { reason: 'Deferred', message: '', generation: 3 });
    board.backfill([podOf({}, { metadata: { uid: 'a' }, status: { conditions: [inProgress] } })]);
    expect(shown('a')).toEqual(['PodResizePending 3 Deferred', 'PodResizeInProgress 1']);
  });

  test('it is counted also if there is nothing, so that metrics begin at zero', () => {
    board.backfill([]);
    expect(lastCount()).toBe('0 0 0');
  });
});
