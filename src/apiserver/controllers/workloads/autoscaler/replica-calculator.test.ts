import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import type { PodUsage } from './pod-usage.ts';
import { calculateReplicas, type ResourceTarget } from './replica-calculator.ts';

const NOW_MS = Date.UTC(2026, 4, 4, 12);
const TOLERANCES = { up: 0.1, down: 0.1 };
const HALF: ResourceTarget = {
  resource: 'cpu',
  container: '',
  utilization: 50,
  averageMilli: null,
};
const AVERAGE: ResourceTarget = { ...HALF, utilization: null, averageMilli: 500 };

function podOf(index: number, status: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const containers = [{ name: 'a', resources: { requests: { cpu: '1', memory: '1Gi' } } }];
  return {
    metadata: { name: `p${index}`, ...metadata },
    spec: { containers },
    status: {
      phase: 'Running',
      startTime: '2026-05-04T10:00:00Z',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-05-04T10:00:05Z' }],
      ...status,
    },
  };
}

const usageOf = (milli: number): PodUsage => ({ milli, timeMs: NOW_MS, windowMs: 15_000 });

/** Null: a pod without figures. */
function calculate(
  target: ResourceTarget,
  usages: readonly (number | null)[],
  pods = usages.map((_, index) => podOf(index)),
  replicas = pods.length,
) {
  const given = usages.flatMap((milli, index): readonly (readonly [string, PodUsage])[] =>
    milli === null ? [] : [[`p${index}`, usageOf(milli)]],
  );
  const view = { replicas, pods, usages: new Map(given), tolerances: TOLERANCES, nowMs: NOW_MS };
  return calculateReplicas(target, view);
}

test.each([
  ['at the target', HALF, [500, 500], 2],
  ['within the tolerance', HALF, [540, 550], 2],
  ['twice the target', HALF, [1000, 1000], 4],
  ['a bit more', HALF, [600, 600], 3],
  ['half of it', HALF, [250, 250], 1],
  ['nothing', HALF, [0, 0], 0],
  ['average value, above', AVERAGE, [900, 700], 4],
  ['average value, below', AVERAGE, [100, 200], 1],
  ['one without figures, up: it uses nothing', HALF, [1000, 1000, null], 4],
  ['one without figures, down: it uses all', HALF, [100, 100, null], 3],
  ['most without figures: not down', HALF, [100, null, null], 3],
  ['average, without figures, down', AVERAGE, [100, 100, null], 2],
])('%s', (_, target, usages, expected) => {
  expect(calculate(target, usages).replicas).toBe(expected);
});

test('the figures of the status', () => {
  expect(calculate(HALF, [600, 700])).toEqual({ replicas: 3, utilization: 65, averageMilli: 650 });
  expect(calculate(AVERAGE, [600, 701])).toEqual({
    replicas: 3,
    utilization: null,
    averageMilli: 650,
  });
});

const YOUNG = {
  startTime: '2026-05-04T11:58:00Z',
  conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-05-04T11:58:00Z' }],
};

test.each([
  ['pending', podOf(2, { phase: 'Pending' }), 4],
  ['young and not ready', podOf(2, YOUNG), 4],
  [
    'never ready',
    podOf(2, {
      ...YOUNG,
      startTime: '2026-05-04T11:00:00Z',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-05-04T11:00:01Z' }],
    }),
    4,
  ],
  ['without conditions', podOf(2, { conditions: [] }), 4],
  ['being deleted', podOf(2, {}, { deletionTimestamp: '2026-05-04T11:59:00Z' }), 4],
  ['failed', podOf(2, { phase: 'Failed' }), 4],
])('a pod that is %s does not raise the number by its own usage', (_, pod, expected) => {
  const pods = [podOf(0), podOf(1), pod];
  expect(calculate(HALF, [1000, 1000, 9000], pods).replicas).toBe(expected);
});

test('memory of a young pod counts', () => {
  const target = { ...HALF, resource: 'memory', utilization: null, averageMilli: 1000 };
  expect(calculate(target, [1000, 3000], [podOf(0), podOf(1, YOUNG)]).replicas).toBe(4);
});

test('of one container', () => {
  const containers = [
    { name: 'a', resources: { requests: { cpu: '100m' } } },
    { name: 'b', resources: {} },
  ];
  const pods = [{ ...podOf(0), spec: { containers } }];
  expect(calculate({ ...HALF, container: 'a' }, [100], pods).utilization).toBe(100);
});

test.each([
  ['no pods returned by selector while calculating replica count', HALF, [], []],
  ['did not receive metrics for targeted pods (pods might be unready)', HALF, [null], [podOf(0)]],
  [
    'missing request for cpu in container b of Pod p0',
    HALF,
    [1],
    [{ ...podOf(0), spec: { containers: [{ name: 'b' }] } }],
  ],
  ['container c not found in Pod p0', { ...HALF, container: 'c' }, [1], [podOf(0)]],
  ['no metrics returned matched known pods', HALF, [1], [podOf(9)]],
])('%s', (message, target, usages, pods) => {
  expect(() => calculate(target, usages, pods)).toThrow(message);
});
