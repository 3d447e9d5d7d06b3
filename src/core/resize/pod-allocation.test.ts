import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { allocationOf, withAllocation } from './pod-allocation.ts';

function podWith(first: ResourceRequirements, second: ResourceRequirements, own?: object): Pod {
  return {
    metadata: { uid: 'a' },
    spec: {
      initContainers: [{ name: 'i', resources: first }],
      containers: [{ name: 'c', resources: second }],
      ...(own && { resources: own }),
    },
  };
}

test('equal amounts change nothing, and the pod stays the same object', () => {
  const pod = podWith({ requests: { cpu: '1' } }, {});
  const same = podWith({ requests: { cpu: '1000m' }, limits: {} }, {});
  expect(withAllocation(pod, allocationOf(same))).toBe(pod);
});

test('resources of the pod as a whole are removed if none were allocated', () => {
  const pod = podWith({}, {}, { requests: { cpu: '1' } });
  expect('resources' in withAllocation(pod, allocationOf(podWith({}, {}))).spec).toBe(false);
});

test('a container without an allocation keeps the resources of its spec', () => {
  const pod = podWith({}, { requests: { cpu: '1' } });
  expect(withAllocation(pod, { containers: new Map() })).toBe(pod);
});

test('the pod has the allocated resources afterwards', () => {
  const resources = fc
    .record({ cpu: fc.nat(4), memory: fc.nat(4) })
    .map(({ cpu, memory }) => ({ requests: { cpu: `${cpu}`, memory: `${memory}Mi` } }));
  const pods = fc
    .tuple(resources, resources, fc.option(resources, { nil: undefined }))
    .map(([first, second, own]) => podWith(first, second, own));
  fc.assert(
    fc.property(pods, pods, (wanted, granted) => {
      const result = withAllocation(wanted, allocationOf(granted));
      expect(allocationOf(result)).toEqual(allocationOf(granted));
      expect(withAllocation(result, allocationOf(granted))).toBe(result);
    }),
  );
});
