import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { changesPodLevel, findResourceChanges, whatWasFreed } from './resize-trigger.ts';

function podWith(resources: ResourceRequirements, status: PodStatus = {}): Pod {
  return { metadata: {}, spec: { containers: [{ name: 'c', resources }] }, status };
}

const granted = (cpu: string, actual: string, phase: PodStatus['phase'] = 'Running'): Pod =>
  podWith(
    { requests: { cpu } },
    { phase, containerStatuses: [{ name: 'c', resources: { requests: { cpu: actual } } }] },
  );

test('each resource with another amount is one change', () => {
  const before = podWith({ requests: { cpu: '1', memory: '1Mi' }, limits: { cpu: '1' } });
  const after = podWith({ requests: { cpu: '1000m' }, limits: { cpu: '2', memory: '1Gi' } });
  expect(findResourceChanges(before, after)).toEqual([
    { resource: 'memory', requirement: 'requests', operation: 'remove' },
    { resource: 'memory', requirement: 'limits', operation: 'add' },
    { resource: 'cpu', requirement: 'limits', operation: 'increase' },
  ]);
});

test('the pod itself may be resized', () => {
  const pod = podWith({});
  const level = (cpu: string): Pod => ({
    ...pod,
    spec: { ...pod.spec, resources: { requests: { cpu } } },
  });
  expect(changesPodLevel(pod, pod)).toBe(false);
  expect(changesPodLevel(pod, level('1'))).toBe(true);
  expect(changesPodLevel(level('1'), level('1000m'))).toBe(false);
});

test.each([
  ['nothing while it still holds the old amount', granted('1', '2'), granted('1', '2'), null],
  ['what it let go of', granted('1', '2'), granted('1', '1'), 'pod_resized'],
  ['nothing when it grows', granted('1', '1'), granted('2', '1'), null],
  ['all when it ends', granted('1', '1'), granted('1', '1', 'Failed'), 'pod_terminated'],
  [
    'nothing when it has ended before',
    granted('1', '1', 'Failed'),
    granted('1', '1', 'Failed'),
    null,
  ],
])('a pod gives back %s', (_, before, after, trigger) => {
  expect(whatWasFreed(before, after)).toBe(trigger);
});
