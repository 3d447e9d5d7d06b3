import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readStruct } from '../../validation/json-reading.ts';
import { defaultPod } from '../defaults/pod-defaults.ts';
import { validatePodUpdate } from '../pod-validation.ts';

const BASE = { containers: [{ name: 'c', image: 'a:1' }], nodeName: 'n1' };

function update(old: JsonObject, change: JsonObject): readonly (readonly [string, string])[] {
  const before = deepFreeze(defaultPod({ spec: old }));
  const after = defaultPod({ spec: { ...readStruct(before['spec']), ...change } });
  // The first line is the message; the others show the diff.
  return validatePodUpdate(after, before).map(({ field, detail }) => [
    field,
    detail.split('\n')[0] ?? '',
  ]);
}

describe('a running pod', () => {
  test('may get another image, an earlier deadline and more tolerations', () => {
    const containers = [{ name: 'c', image: 'a:2' }];
    expect(update(BASE, { containers })).toEqual([]);
    expect(update({ ...BASE, activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 5 })).toEqual([]);
    const tolerations = [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }];
    expect(update(BASE, { tolerations })).toEqual([]);
    const longer = tolerations.map((one) => ({ ...one, tolerationSeconds: 5 }));
    expect(update({ ...BASE, tolerations }, { tolerations: longer })).toEqual([]);
  });

  test.each<readonly [string, JsonObject, string]>([
    ['another command', { containers: [{ name: 'c', image: 'a:1', command: ['x'] }] }, 'spec'],
    ['another node', { nodeName: 'n2' }, 'spec'],
    ['another name for a container', { containers: [{ name: 'd', image: 'a:1' }] }, 'spec'],
    ['a gate', { schedulingGates: [{ name: 'a/b' }] }, 'spec.schedulingGates[0].name'],
    [
      'one container more',
      { containers: [...BASE.containers, { name: 'd', image: 'x' }] },
      'spec.containers',
    ],
    ['an init container', { initContainers: [{ name: 'i', image: 'x' }] }, 'spec.initContainers'],
  ])('may not get %s', (_name, change, field) => {
    expect(update(BASE, change).map(([at]) => at)).toContain(field);
  });

  test('keeps its deadline and its tolerations', () => {
    const old = {
      ...BASE,
      activeDeadlineSeconds: 5,
      tolerations: [{ key: 'k', operator: 'Exists' }],
    };
    expect(update(old, { activeDeadlineSeconds: 9 })).toEqual([
      ['spec.activeDeadlineSeconds', 'must be less than or equal to previous value'],
    ]);
    expect(update(old, { activeDeadlineSeconds: null })).toEqual([
      ['spec.activeDeadlineSeconds', 'must not update from a positive integer to nil value'],
    ]);
    expect(update(old, { tolerations: [] })).toEqual([
      ['spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'],
    ]);
  });
});

describe('a gated pod', () => {
  const { nodeName: _, ...free } = BASE;
  const gated = { ...free, schedulingGates: [{ name: 'a/b' }], nodeSelector: { zone: 'z1' } };

  test('may lose gates and narrow its node selection', () => {
    expect(update(gated, { schedulingGates: [] })).toEqual([]);
    expect(update(gated, { nodeSelector: { zone: 'z1', disk: 'ssd' } })).toEqual([]);
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    expect(update(gated, { affinity: { nodeAffinity: required } })).toEqual([]);
  });

  test('may not select other nodes', () => {
    expect(update(gated, { nodeSelector: { zone: 'z2' } })).toEqual([
      [
        'spec.nodeSelector',
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ]);
  });
});

test('what an update leaves unchanged may stay invalid', () => {
  const term = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'a', operator: 'In', values: ['bad value!'] }] },
    ],
  };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term } };
  expect(update({ ...BASE, affinity }, {})).toEqual([]);
});
