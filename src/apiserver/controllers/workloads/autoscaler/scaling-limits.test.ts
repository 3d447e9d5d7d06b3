import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { limitScale } from './scaling-limits.ts';
import type { ScalingHistory } from './scaling-history.ts';

const NOW_MS = 10_000_000;
const BOUNDS = { min: 2, max: 20, current: 5 };
const ago = (seconds: number, number: number) => ({ timeMs: NOW_MS - seconds * 1000, number });

function historyOf(given: Partial<ScalingHistory> = {}): ScalingHistory {
  return { recommendations: [], ups: [], downs: [], ...given };
}

const limit = (
  desired: number,
  behavior: JsonObject | null,
  history = historyOf(),
  bounds = BOUNDS,
) => {
  const { replicas, able, limited } = limitScale(desired, bounds, behavior, history, NOW_MS);
  return [replicas, able.reason, limited.reason, limited.isLimited];
};

describe('without behavior', () => {
  test.each([
    [7, 7, 'DesiredWithinRange', false],
    [1, 2, 'TooFewReplicas', true],
    [11, 10, 'ScaleUpLimit', true],
  ])('%i becomes %i: %s', (desired, replicas, reason, isLimited) => {
    expect(limit(desired, null)).toEqual([replicas, 'ReadyForNewScale', reason, isLimited]);
  });

  test('from one replica up to four at once, and never above the maximum', () => {
    expect(limit(9, null, historyOf(), { ...BOUNDS, min: 1, current: 1 })[0]).toBe(4);
    expect(limit(9, null, historyOf(), { ...BOUNDS, max: 8 })).toEqual([
      8,
      'ReadyForNewScale',
      'TooManyReplicas',
      true,
    ]);
  });

  test('the highest recommendation of five minutes holds', () => {
    const history = historyOf({ recommendations: [ago(301, 9), ago(200, 4)] });
    expect(limit(3, null, history)).toEqual([
      4,
      'ScaleDownStabilized',
      'DesiredWithinRange',
      false,
    ]);
  });
});

const POLICY = (type: string, value: number, periodSeconds = 60): JsonObject => ({
  type,
  value,
  periodSeconds,
});
const rulesOf = (up: JsonObject, down: JsonObject = {}): JsonObject => ({
  scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [], ...up },
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [POLICY('Percent', 100)],
    ...down,
  },
});

describe('with behavior', () => {
  const both = [POLICY('Pods', 1), POLICY('Percent', 100)];
  test.each([
    ['the larger change up', 20, rulesOf({ policies: both }), 10],
    ['the smaller change up', 20, rulesOf({ policies: both, selectPolicy: 'Min' }), 6],
    ['no change up', 20, rulesOf({ policies: both, selectPolicy: 'Disabled' }), 5],
    ['a percentage up is rounded up', 20, rulesOf({ policies: [POLICY('Percent', 10)] }), 6],
    ['pods down', 2, rulesOf({}, { policies: [POLICY('Pods', 2)] }), 3],
    ['the smaller change down', 2, rulesOf({}, { policies: both, selectPolicy: 'Min' }), 4],
    ['no change down', 2, rulesOf({}, { selectPolicy: 'Disabled' }), 5],
    ['a percentage down is rounded down', 2, rulesOf({}, { policies: [POLICY('Percent', 50)] }), 2],
  ])('%s', (_, desired, behavior, expected) => {
    expect(limit(desired, behavior)[0]).toBe(expected);
  });

  test('what was added in the period counts, what came before does not', () => {
    const behavior = rulesOf({ policies: [POLICY('Pods', 3)] });
    const history = historyOf({ ups: [ago(61, 2), ago(30, 2)] });
    expect(limit(20, behavior, history)).toEqual([6, 'ReadyForNewScale', 'ScaleUpLimit', true]);
  });

  test('windows of both directions', () => {
    const policies = [POLICY('Percent', 900)];
    const up = rulesOf({ policies, stabilizationWindowSeconds: 60 });
    const low = historyOf({ recommendations: [ago(50, 6)] });
    expect(limit(9, up, low)).toEqual([6, 'ScaleUpStabilized', 'DesiredWithinRange', false]);
    const down = rulesOf({}, { stabilizationWindowSeconds: 60 });
    const high = historyOf({ recommendations: [ago(50, 4), ago(70, 9)] });
    expect(limit(3, down, high)).toEqual([4, 'ScaleDownStabilized', 'DesiredWithinRange', false]);
  });

  test('the window down is five minutes if none is given', () => {
    const behavior = {
      ...rulesOf({}),
      scaleDown: { selectPolicy: 'Max', policies: [POLICY('Percent', 100)] },
    };
    const history = historyOf({ recommendations: [ago(299, 4)] });
    expect(limit(2, behavior, history)[0]).toBe(4);
  });
});
