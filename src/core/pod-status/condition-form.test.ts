import { describe, expect, test } from 'vitest';
import { podOf } from '../../../test/support/pod-parts.ts';
import { conditionOf, namesInGo } from './condition-form.ts';

describe('SM-120: a generated condition', () => {
  test('carries the generation of the pod it was computed from', () => {
    const pod = podOf({}, { metadata: { generation: 7 } });
    expect(conditionOf(pod, 'Ready', 'True')).toEqual({
      type: 'Ready',
      status: 'True',
      observedGeneration: 7,
    });
  });

  test('carries none if the pod has none', () => {
    expect(conditionOf(podOf(), 'Ready', 'True')).toEqual({ type: 'Ready', status: 'True' });
    const zero = podOf({}, { metadata: { generation: 0 } });
    expect(conditionOf(zero, 'Ready', 'True')).toEqual({ type: 'Ready', status: 'True' });
  });

  test('has a reason and a message if there are any, and no empty fields', () => {
    expect(conditionOf(podOf(), 'Ready', 'False', 'PodFailed', 'it failed')).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'PodFailed',
      message: 'it failed',
    });
    expect(conditionOf(podOf(), 'Ready', 'False', '', '')).toEqual({
      type: 'Ready',
      status: 'False',
    });
  });

  test('has no transition time: the status manager sets it', () => {
    expect(conditionOf(podOf(), 'Ready', 'True')).not.toHaveProperty('lastTransitionTime');
  });
});

test('SM-113: names are printed as Go prints a list, without quotes or commas', () => {
  expect(namesInGo([])).toBe('[]');
  expect(namesInGo(['a'])).toBe('[a]');
  expect(namesInGo(['a', 'b', 'c'])).toBe('[a b c]');
});
