import { describe, expect, test } from 'vitest';
import type { Container } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { podLimits, podRequests } from './pod-resources.ts';

/** Requests and limits of the same size, so that one table serves both. */
function asks(list: ResourceList): Partial<Container> {
  return { resources: { requests: list, limits: list } };
}

function cpu(amount: string): Partial<Container> {
  return asks({ cpu: amount });
}

describe('the requests of a pod are', () => {
  test.each<readonly [string, readonly Container[], readonly Container[], ResourceList]>([
    ['nothing, if nobody asks', [container('a')], [], {}],
    [
      'the sum of its containers',
      [container('a', cpu('1')), container('b', cpu('2'))],
      [],
      {
        cpu: '3',
      },
    ],
    [
      'the largest init container, if that is more',
      [container('a', cpu('1'))],
      [container('i', cpu('5')), container('j', cpu('3'))],
      { cpu: '5' },
    ],
    [
      'the sum of its containers, if that is more than any init container',
      [container('a', cpu('4'))],
      [container('i', cpu('3')), container('j', cpu('3'))],
      { cpu: '4' },
    ],
    [
      'its containers and all sidecars together (E-5)',
      [container('a', cpu('1'))],
      [sidecar('s', cpu('2')), sidecar('t', cpu('3'))],
      { cpu: '6' },
    ],
    [
      'an init container and the sidecars before it, if that is more',
      [container('a', cpu('1'))],
      [sidecar('s', cpu('2')), container('i', cpu('5')), sidecar('t', cpu('3'))],
      { cpu: '7' },
    ],
    [
      'not an init container and the sidecars behind it',
      [container('a', cpu('1'))],
      [container('i', cpu('5')), sidecar('s', cpu('3'))],
      { cpu: '5' },
    ],
    [
      'judged for each resource by itself',
      [container('a', asks({ cpu: '1', memory: '4Gi' }))],
      [container('i', asks({ cpu: '2', memory: '1Gi', 'example.com/gpu': '1' }))],
      { cpu: '2', memory: '4Gi', 'example.com/gpu': '1' },
    ],
  ])('%s', (_name, containers, initContainers, expected) => {
    const pod = podOf({ containers, initContainers });
    expect(podRequests(pod)).toEqual(expected);
    expect(podLimits(pod)).toEqual(expected);
  });

  test('ephemeral containers do not count', () => {
    const pod = podOf({ ephemeralContainers: [container('e', cpu('9'))] });
    expect(podRequests(pod)).toEqual({});
  });

  test('limits do not count as requests, nor requests as limits', () => {
    const pod = podOf({
      containers: [
        container('a', { resources: { requests: { cpu: '1' } } }),
        container('b', { resources: { limits: { memory: '1Gi' } } }),
      ],
    });
    expect(podRequests(pod)).toEqual({ cpu: '1' });
    expect(podLimits(pod)).toEqual({ memory: '1Gi' });
  });
});

describe('pod-level resources', () => {
  const containers = [container('a', asks({ cpu: '1', memory: '1Gi', 'example.com/gpu': '1' }))];

  test('take precedence over the sum of the containers, even if they are less', () => {
    const resources = { requests: { cpu: '500m' }, limits: { memory: '8Gi' } };
    const pod = podOf({ containers, resources });
    expect(podRequests(pod)).toEqual({ cpu: '500m', memory: '1Gi', 'example.com/gpu': '1' });
    expect(podLimits(pod)).toEqual({ cpu: '1', memory: '8Gi', 'example.com/gpu': '1' });
  });

  test('may be cpu, memory and huge pages; anything else is the sum of the containers', () => {
    const list = { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '7' };
    const pod = podOf({ containers, resources: { requests: list, limits: list } });
    expect(podRequests(pod)).toEqual({
      cpu: '1',
      memory: '1Gi',
      'hugepages-2Mi': '4Mi',
      'example.com/gpu': '1',
    });
  });
});

describe('the overhead of running a pod', () => {
  const overhead = { cpu: '250m', memory: '64Mi' };

  test('is added to the requests, even where there are none', () => {
    const pod = podOf({ containers: [container('a', cpu('1'))], overhead });
    expect(podRequests(pod)).toEqual({ cpu: '1250m', memory: '64Mi' });
  });

  test('is added to a limit only where there is one', () => {
    const pod = podOf({ containers: [container('a', cpu('1'))], overhead });
    expect(podLimits(pod)).toEqual({ cpu: '1250m' });
  });

  test('leaves a limit of zero at zero: that means none', () => {
    const pod = podOf({ containers: [container('a', cpu('0'))], overhead });
    expect(podLimits(pod)).toEqual({ cpu: '0' });
    expect(podRequests(pod)).toEqual({ cpu: '250m', memory: '64Mi' });
  });

  test('is added to pod-level resources, too', () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '4' } };
    const pod = podOf({ containers: [container('a', cpu('1'))], resources, overhead });
    expect(podRequests(pod)).toEqual({ cpu: '2250m', memory: '64Mi' });
    expect(podLimits(pod)).toEqual({ cpu: '4250m' });
  });

  test('is added once, not once per container', () => {
    const pod = podOf({
      containers: [container('a', cpu('1')), container('b', cpu('1'))],
      initContainers: [sidecar('s', cpu('1'))],
      overhead: { cpu: '1' },
    });
    expect(podRequests(pod)).toEqual({ cpu: '4' });
  });
});
