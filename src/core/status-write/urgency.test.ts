import { describe, expect, test } from 'vitest';
import type { ConditionStatus, PodPhase, PodStatus } from '../../api/pod.ts';
import { condition } from '../../../test/support/pod-parts.ts';
import { isUrgent } from './urgency.ts';

function status(phase: PodPhase, ready?: ConditionStatus): PodStatus {
  return { phase, conditions: ready ? [condition('Ready', ready)] : [] };
}

function urgent(before: PodStatus | undefined, after: PodStatus, isFinished = false): boolean {
  return isUrgent(before, {
    version: 2,
    name: 'web',
    namespace: 'default',
    status: after,
    isFinished,
  });
}

describe('F-5: readiness', () => {
  test.each([
    ['True', 'False', true],
    ['True', 'Unknown', true],
    ['True', undefined, true],
    ['True', 'True', false],
    ['False', 'True', false],
    ['False', 'False', false],
    ['Unknown', 'False', false],
    [undefined, 'False', false],
    [undefined, 'True', false],
  ] as const)('from %s to %s: urgent is %s', (before, after, expected) => {
    expect(urgent(status('Running', before), status('Running', after))).toBe(expected);
  });
});

describe('F-5: phases', () => {
  test.each([
    ['Running', 'Failed', true],
    ['Pending', 'Succeeded', true],
    ['Failed', 'Failed', false],
    ['Failed', 'Succeeded', false],
    ['Pending', 'Running', false],
    ['Running', 'Running', false],
  ] as const)('from %s to %s: urgent is %s', (before, after, expected) => {
    expect(urgent(status(before), status(after))).toBe(expected);
  });

  test('a pod that is terminal when first seen is urgent, one that starts is not', () => {
    expect(urgent(undefined, status('Failed'))).toBe(true);
    expect(urgent(undefined, status('Running', 'True'))).toBe(false);
  });
});

test('F-5: the final status of a pod is urgent, whatever it is', () => {
  expect(urgent(status('Failed'), status('Failed'), true)).toBe(true);
});
