import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { resourceFieldOf } from './resource-field.ts';

const NODE = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' };
const main = {
  name: 'main',
  resources: {
    limits: { cpu: '1500m', memory: '100Mi', 'hugepages-2Mi': '4Mi' },
    requests: { cpu: '250m', memory: '1500k' },
  },
};
const bare = { name: 'bare' };
const pod: Pod = {
  metadata: {},
  spec: { containers: [main, bare], initContainers: [{ name: 'init' }] },
};

describe('resources as numbers', () => {
  test.each([
    ['limits.cpu', undefined, '2'],
    ['limits.cpu', '1m', '1500'],
    ['limits.cpu', '0', '2'],
    ['limits.memory', undefined, '104857600'],
    ['limits.memory', '1Mi', '100'],
    ['limits.memory', '1Gi', '1'],
    ['limits.hugepages-2Mi', '1Mi', '4'],
    ['requests.cpu', '1m', '250'],
    ['requests.memory', '1Mi', '2'],
    ['requests.ephemeral-storage', undefined, '0'],
    ['limits.ephemeral-storage', '1Gi', '100'],
  ])('%s in units of %s is %s', (resource, divisor, expected) => {
    const reference = { resource, ...(divisor !== undefined && { divisor }) };
    expect(resourceFieldOf(pod, main, reference, NODE)).toBe(expected);
  });

  test('a limit that is not set is the node’s allocatable', () => {
    expect(resourceFieldOf(pod, bare, { resource: 'limits.cpu' }, NODE)).toBe('4');
    expect(resourceFieldOf(pod, bare, { resource: 'requests.cpu' }, NODE)).toBe('0');
  });

  test("the pod's own limit comes before the node's, for variables", () => {
    const limited = { ...pod, spec: { ...pod.spec, resources: { limits: { cpu: '3' } } } };
    const reference = { resource: 'limits.cpu', containerName: 'bare' };
    expect(resourceFieldOf(limited, bare, reference, NODE)).toBe('3');
    expect(resourceFieldOf(limited, null, reference, NODE)).toBe('4');
  });

  test('another container is found by its name', () => {
    const reference = { resource: 'limits.cpu', containerName: 'main', divisor: '1m' };
    expect(resourceFieldOf(pod, bare, reference, NODE)).toBe('1500');
    const ofInit = { resource: 'limits.cpu', containerName: 'init' };
    expect(resourceFieldOf(pod, bare, ofInit, NODE)).toBe('0');
    expect(resourceFieldOf(pod, null, ofInit, NODE)).toBe('4');
  });

  test('an unknown resource is refused with the kubelet’s message', () => {
    const missing = { resource: 'limits.cpu', containerName: 'x' };
    expect(() => resourceFieldOf(pod, bare, missing, NODE)).toThrow('container x not found');
    const strange = { resource: 'limits.gpu' };
    expect(() => resourceFieldOf(pod, bare, strange, NODE)).toThrow(
      'unsupported container resource : limits.gpu',
    );
  });
});
