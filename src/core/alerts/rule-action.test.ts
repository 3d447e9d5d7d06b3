import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { actionSubjectOf, evictionRefusal, restartRefusal } from './rule-action.ts';

function podWith(
  spec: Partial<Pod['spec']> & { priority?: number } = {},
  metadata: Partial<Pod['metadata']> = {},
): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'u', ...metadata },
    spec: { containers: [{ name: 'main', image: 'x' }], ...spec },
  };
}

describe('an eviction', () => {
  test.each<[string, Pod, string | null]>([
    ['an ordinary pod', podWith(), null],
    ['a pod just below critical', podWith({ priority: 1_999_999_999 }), null],
    ['a critical pod', podWith({ priority: 2_000_000_000 }), 'it is a critical pod'],
    [
      'a static pod',
      podWith({}, { annotations: { 'kubernetes.io/config.source': 'file' } }),
      'it is a static pod',
    ],
    [
      'a mirror pod',
      podWith({}, { annotations: { 'kubernetes.io/config.mirror': 'hash' } }),
      'it is a static pod',
    ],
    ['a pod that has ended', { ...podWith(), status: { phase: 'Failed' } }, 'the pod has ended'],
  ])('of %s', (_what, pod, refusal) => {
    expect(evictionRefusal(pod)?.slice(0, refusal?.length) ?? null).toBe(refusal);
  });
});

describe('a restart', () => {
  const init = (restartPolicy?: 'Always') => ({
    name: 'init',
    image: 'x',
    ...(restartPolicy && { restartPolicy }),
  });

  test.each<[string, Pod, string, string | null]>([
    ['a container', podWith(), 'main', null],
    ['a container that is not there', podWith(), 'other', 'the pod has no container other'],
    ['one that never restarts', podWith({ restartPolicy: 'Never' }), 'main', 'its restart policy'],
    ['an init container', podWith({ initContainers: [init()] }), 'init', 'it is an init container'],
    [
      'a sidecar of a pod that never restarts',
      podWith({ restartPolicy: 'Never', initContainers: [init('Always')] }),
      'init',
      null,
    ],
  ])('of %s', (_what, pod, container, refusal) => {
    expect(restartRefusal(pod, container)?.slice(0, refusal?.length) ?? null).toBe(refusal);
  });
});

test('pods of a controller are one subject of evictions, and each its own of restarts', () => {
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'not-it' },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true },
  ];
  const pod = podWith({}, { ownerReferences });
  expect(actionSubjectOf({ type: 'evict' }, pod, 'key')).toBe('controller rs');
  expect(actionSubjectOf({ type: 'evict' }, podWith(), 'key')).toBe('pod u');
  expect(actionSubjectOf({ type: 'restart' }, pod, 'key')).toBe('key');
  expect(actionSubjectOf({ type: 'cordon' }, pod, 'key')).toBe('node');
});
