import { describe, expect, test } from 'vitest';
import type { PodCondition } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { condition, EARLIER, LATER, NOW, podOf } from '../../../test/support/pod-parts.ts';
import {
  backfill,
  clearInProgress,
  clearPending,
  countResizes,
  listConditions,
  setInProgress,
  setPending,
  type ResizeConditions,
  type ResizeReport,
} from './resize-conditions.ts';

const NONE: ResizeConditions = deepFreeze({});

function report(reason: string, message = '', generation = 1): ResizeReport {
  return { reason, message, generation };
}

function pending(reason: string, message = '', generation = 1): ResizeConditions {
  return deepFreeze(setPending(NONE, report(reason, message, generation), EARLIER).conditions);
}

function inProgress(reason: string, message = '', generation = 1): ResizeConditions {
  return deepFreeze(setInProgress(NONE, report(reason, message, generation), EARLIER).conditions);
}

describe('a pending resize (SM-96)', () => {
  test.each([
    ['Infeasible', 'Infeasible'],
    ['Deferred', 'Deferred'],
    ['NotEnoughRoom', 'Deferred'],
    ['', 'Deferred'],
    ['infeasible', 'Deferred'],
  ])('the reason %j is reported as %s', (lastReported, notified) => {
    expect(pending(lastReported).pending?.reason).toBe(notified);
  });

  test.each<readonly [string, boolean, ResizeConditions, ResizeReport]>([
    ['the first one', true, NONE, report('Deferred')],
    ['the same again', false, pending('Deferred', 'no space'), report('Deferred', 'no space')],
    ['another message', false, pending('Deferred', 'no space'), report('Deferred', 'still none')],
    ['another reason', true, pending('Deferred'), report('Infeasible')],
    ['a word for the same reason', false, pending('Deferred'), report('Whatever')],
    ['another generation', true, pending('Deferred', '', 1), report('Deferred', '', 2)],
    ['its first generation', true, pending('Deferred', '', 0), report('Deferred', '', 1)],
    ['no generation, as before', false, pending('Deferred', '', 0), report('Deferred', '', 0)],
  ])('%s: worth reporting is %s', (_name, changed, before, lastReported) => {
    const result = setPending(before, lastReported, NOW);
    expect(result.changed).toBe(changed);
    expect(result.conditions.pending?.message ?? '', 'stored in any case').toBe(
      lastReported.message,
    );
  });

  test('one in progress stays as it is', () => {
    const before = inProgress('', '', 3);
    expect(setPending(before, report('Deferred'), NOW).conditions.inProgress).toBe(
      before.inProgress,
    );
  });
});

describe('a resize in progress (SM-97)', () => {
  test('the generation that began it stays', () => {
    const result = setInProgress(inProgress('Error', 'bad', 1), report('Error', 'bad', 2), NOW);
    expect(result).toMatchObject({ generation: 1, changed: false });
    expect(result.conditions.inProgress?.observedGeneration).toBe(1);
  });

  test('without reason and message the old ones stay', () => {
    const result = setInProgress(inProgress('Error', 'bad'), report('', ''), NOW);
    expect(result.changed).toBe(false);
    expect(result.conditions.inProgress).toMatchObject({ reason: 'Error', message: 'bad' });
  });

  test.each([
    ['a reason alone', report('Error'), { reason: 'Error' }],
    ['a message alone', report('', 'worse'), { message: 'worse' }],
  ] as const)('%s replaces both', (_name, lastReported, words) => {
    const { conditions, changed } = setInProgress(inProgress('Old', 'bad'), lastReported, NOW);
    const { reason, message } = conditions.inProgress ?? {};
    expect({ reason, message }).toEqual({ reason: undefined, message: undefined, ...words });
    expect(changed).toBe(true);
  });

  test.each([
    ['reason', report('Other', 'bad')],
    ['message', report('Old', 'worse')],
  ] as const)('another %s alone is a change', (_name, lastReported) => {
    expect(setInProgress(inProgress('Old', 'bad'), lastReported, NOW).changed).toBe(true);
  });

  test('one that began without a generation keeps none', () => {
    const result = setInProgress(inProgress('', '', 0), report('Error', 'bad', 5), NOW);
    expect(result.generation).toBe(0);
    expect(result.conditions.inProgress).not.toHaveProperty('observedGeneration');
  });

  test('the first one is a change, even without a message, and sets its generation', () => {
    expect(setInProgress(NONE, report('', '', 7), NOW)).toMatchObject({
      changed: true,
      generation: 7,
    });
  });

  test('a pending one stays as it is', () => {
    const before = pending('Infeasible');
    expect(setInProgress(before, report(''), NOW).conditions.pending).toBe(before.pending);
  });
});

describe('times (SM-99)', () => {
  const set = { pending: setPending, inProgress: setInProgress } as const;

  test.each(['pending', 'inProgress'] as const)(
    '%s: probed now, changed when its reason did',
    (which) => {
      const before = deepFreeze(set[which](NONE, report('Infeasible', 'a'), EARLIER).conditions);
      expect(before[which]).toMatchObject({
        lastProbeTime: EARLIER,
        lastTransitionTime: EARLIER,
      });
      const same = set[which](before, report('Infeasible', 'b'), NOW).conditions[which];
      expect(same).toMatchObject({ lastProbeTime: NOW, lastTransitionTime: EARLIER });
      const other = set[which](before, report('Deferred', 'b'), NOW).conditions[which];
      expect(other).toMatchObject({ lastProbeTime: NOW, lastTransitionTime: NOW });
    },
  );
});

describe('clearing (SM-98)', () => {
  const both = setInProgress(pending('Deferred'), report(''), NOW).conditions;

  test('removes one and leaves the other', () => {
    expect(listConditions(clearPending(both))).toEqual([both.inProgress]);
    expect(listConditions(clearInProgress(both))).toEqual([both.pending]);
  });

  test('clearing an absent one changes nothing', () => {
    const [waits, runs] = [pending('Deferred'), inProgress('')];
    expect(clearPending(runs)).toBe(runs);
    expect(clearInProgress(waits)).toBe(waits);
    expect(clearPending(NONE)).toBe(NONE);
  });
});

test('SM-95: pending is listed before in progress', () => {
  const both = setPending(inProgress('', '', 1), report('Deferred', '', 2), NOW).conditions;
  expect(listConditions(both).map(({ type }) => type)).toEqual([
    'PodResizePending',
    'PodResizeInProgress',
  ]);
  expect(listConditions(NONE)).toEqual([]);
});

test('a condition has no empty fields', () => {
  expect(listConditions(inProgress('', '', 0))).toEqual([
    {
      type: 'PodResizeInProgress',
      status: 'True',
      lastProbeTime: EARLIER,
      lastTransitionTime: EARLIER,
    },
  ]);
  expect(listConditions(pending('Infeasible', 'never', 4))).toEqual([
    {
      type: 'PodResizePending',
      status: 'True',
      observedGeneration: 4,
      lastProbeTime: EARLIER,
      lastTransitionTime: EARLIER,
      reason: 'Infeasible',
      message: 'never',
    },
  ]);
});

describe('after a restart (SM-100, TestBackfillPodResizeConditions)', () => {
  function rebuilt(...conditions: readonly PodCondition[]): readonly PodCondition[] {
    return listConditions(backfill(deepFreeze(podOf({}, { status: { conditions } })), NOW));
  }
  const waits = condition('PodResizePending', 'True', {
    reason: 'Deferred',
    message: 'no space',
    observedGeneration: 2,
    lastTransitionTime: EARLIER,
    lastProbeTime: EARLIER,
  });
  const runs = condition('PodResizeInProgress', 'True', {
    observedGeneration: 1,
    lastTransitionTime: EARLIER,
  });
  const now = { lastProbeTime: NOW, lastTransitionTime: NOW };

  test.each<readonly [string, readonly PodCondition[], readonly PodCondition[]]>([
    ['nothing', [condition('Ready')], []],
    ['in progress', [runs], [{ ...runs, ...now }]],
    [
      'in progress with an error',
      [{ ...runs, reason: 'Error', message: 'bad' }],
      [{ ...runs, ...now, reason: 'Error', message: 'bad' }],
    ],
    ['pending', [condition('Ready'), waits], [{ ...waits, ...now }]],
    [
      'both, whatever their order',
      [runs, waits],
      [
        { ...waits, ...now },
        { ...runs, ...now },
      ],
    ],
  ])('%s is what the API says, with times of now', (_name, conditions, expected) => {
    expect(rebuilt(...conditions)).toEqual(expected);
  });

  test('a condition that names no generation has none', () => {
    const [rebuiltRuns] = rebuilt(condition('PodResizeInProgress'));
    expect(rebuiltRuns).toEqual({ ...condition('PodResizeInProgress'), ...now });
  });

  test('a pod without any status has none', () => {
    expect(listConditions(backfill(podOf(), NOW))).toEqual([]);
  });
});

describe('counts (SM-101, TestRecordPendingResizesCount, TestRecordInProgressResizeCount)', () => {
  const both = setInProgress(pending('Infeasible'), report(''), LATER).conditions;

  test.each<readonly [string, readonly ResizeConditions[], readonly [number, number, number]]>([
    ['no pods', [], [0, 0, 0]],
    ['pods without any', [NONE], [0, 0, 0]],
    ['one deferred', [pending('Deferred')], [1, 0, 0]],
    ['a mix', [pending('Deferred'), pending('Infeasible'), pending('Deferred')], [2, 1, 0]],
    ['two in progress, one with an error', [inProgress(''), inProgress('Error')], [0, 0, 2]],
    ['one that is both', [both], [0, 1, 1]],
  ])('%s', (_name, all, [deferred, infeasible, running]) => {
    expect(countResizes(all)).toEqual({
      pendingByReason: { deferred, infeasible },
      inProgress: running,
    });
  });
});
