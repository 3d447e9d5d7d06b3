import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt } from '../../../objects/field-path.ts';
import { newDaemonPod, targetNodeOf } from './daemon-pod.ts';
import { nodeFitter } from './node-fit.ts';

const setWith = (spec: JsonObject): JsonObject => ({
  metadata: { name: 'agent', uid: 'u' },
  spec: { template: { spec } },
});

function fit(spec: JsonObject, node: JsonObject): string {
  const { mayStart, mayStay } = nodeFitter(setWith(spec))(node);
  return `${mayStart ? 'start' : ''} ${mayStay ? 'stay' : ''}`.trim();
}

const nodeWith = (taints: readonly JsonObject[], labels: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', labels },
  spec: { taints },
});
const taint = (name: string, effect: string): JsonObject => ({
  key: `node.kubernetes.io/${name}`,
  effect,
});

describe('taints', () => {
  test.each([
    ['not-ready', 'NoExecute', 'start stay'],
    ['unreachable', 'NoExecute', 'start stay'],
    ['disk-pressure', 'NoSchedule', 'start stay'],
    ['memory-pressure', 'NoSchedule', 'start stay'],
    ['pid-pressure', 'NoSchedule', 'start stay'],
    ['unschedulable', 'NoSchedule', 'start stay'],
    ['network-unavailable', 'NoSchedule', 'stay'],
    ['other', 'NoSchedule', 'stay'],
    ['other', 'NoExecute', ''],
    ['other', 'PreferNoSchedule', 'start stay'],
  ])('%s:%s', (name, effect, expected) => {
    expect(fit({}, nodeWith([taint(name, effect)]))).toBe(expected);
  });

  test('pods in the network of the node tolerate that the network is missing', () => {
    const node = nodeWith([taint('network-unavailable', 'NoSchedule')]);
    expect(fit({ hostNetwork: true }, node)).toBe('start stay');
  });

  test('the template may tolerate more', () => {
    const tolerations = [{ operator: 'Exists' }];
    expect(fit({ tolerations }, nodeWith([taint('other', 'NoExecute')]))).toBe('start stay');
  });
});

describe('nodes', () => {
  const required = (...nodeSelectorTerms: readonly JsonObject[]): JsonObject => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
  });
  const zone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['1'] }] };

  test.each([
    ['a selector that matches', { nodeSelector: { zone: '1' } }, 'start stay'],
    ['one that does not', { nodeSelector: { zone: '2' } }, ''],
    ['affinity that matches', required(zone), 'start stay'],
    ['affinity without terms', required(), ''],
    ['the name of the node', { nodeName: 'a' }, 'start stay'],
    ['the name of another', { nodeName: 'b' }, ''],
  ])('%s', (_what, spec, expected) => {
    expect(fit(spec, nodeWith([], { zone: '1' }))).toBe(expected);
  });

  test('a pod is for its node alone, and keeps other affinity', () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] };
    const affinity = { podAffinity: {}, nodeAffinity: preferred };
    const pod = newDaemonPod(setWith({ affinity }), 'a', 'h');
    expect(targetNodeOf(pod)).toBe('a');
    expect(structAt(pod, 'spec.affinity')).toMatchObject({
      podAffinity: {},
      nodeAffinity: preferred,
    });
  });

  test('a toleration of the same taint loses its end', () => {
    const key = 'node.kubernetes.io/not-ready';
    const own = { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
    const pod = newDaemonPod(setWith({ tolerations: [own] }), 'a', 'h');
    const found = objectsAt(pod, 'spec.tolerations').filter((one) => one['key'] === key);
    expect(found).toEqual([{ key, operator: 'Exists', effect: 'NoExecute' }]);
  });
});
