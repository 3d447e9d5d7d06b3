import { describe, expect, test } from 'vitest';
import type { Container } from '../../api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../api/resources.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { qosClass } from './qos-class.ts';

const BOTH: ResourceList = { cpu: '1', memory: '1Gi' };

function exactly(name: string, list: ResourceList): Container {
  return container(name, { resources: { requests: list, limits: list } });
}

function classOf(...containers: readonly Container[]) {
  return qosClass(podOf({ containers }));
}

describe('BestEffort: no container has requests or limits', () => {
  test.each<readonly [string, ResourceRequirements | undefined]>([
    ['no resources', undefined],
    ['empty resources', {}],
    ['empty lists', { requests: {}, limits: {} }],
    ['zeros', { requests: { cpu: '0' }, limits: { memory: '0' } }],
    ['something other than cpu and memory', { requests: { 'example.com/gpu': '1' } }],
    ['a limit on disk space', { limits: { 'ephemeral-storage': '1Gi' } }],
  ])('%s', (_name, resources) => {
    expect(classOf(container('a', resources && { resources }))).toBe('BestEffort');
  });
});

describe('Guaranteed: every container limits both and requests exactly that', () => {
  test('one container, or several of different sizes', () => {
    expect(classOf(exactly('a', BOTH))).toBe('Guaranteed');
    expect(classOf(exactly('a', BOTH), exactly('b', { cpu: '2', memory: '3Gi' }))).toBe(
      'Guaranteed',
    );
  });

  test('amounts count, not spellings', () => {
    const resources = {
      requests: { cpu: '1000m', memory: '1024Mi' },
      limits: { cpu: 1, memory: '1Gi' },
    };
    expect(classOf(container('a', { resources }))).toBe('Guaranteed');
  });

  test('other resources do not matter', () => {
    const resources = {
      requests: BOTH,
      limits: { ...BOTH, 'example.com/gpu': '1', 'ephemeral-storage': '9Gi' },
    };
    expect(classOf(container('a', { resources }))).toBe('Guaranteed');
  });

  test('init containers and sidecars take part', () => {
    const guaranteed = exactly('a', BOTH);
    const all = podOf({ containers: [guaranteed], initContainers: [exactly('i', BOTH)] });
    expect(qosClass(all)).toBe('Guaranteed');
    for (const free of [container('i'), sidecar('s')]) {
      expect(qosClass(podOf({ containers: [guaranteed], initContainers: [free] }))).toBe(
        'Burstable',
      );
    }
  });

  test('ephemeral containers do not', () => {
    const pod = podOf({ containers: [exactly('a', BOTH)], ephemeralContainers: [container('e')] });
    expect(qosClass(pod)).toBe('Guaranteed');
  });
});

describe('Burstable: anything in between', () => {
  test.each<readonly [string, ResourceRequirements]>([
    ['requests only', { requests: BOTH }],
    ['limits only, before defaults are filled in', { limits: BOTH }],
    [
      'limits above requests',
      { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } },
    ],
    ['cpu only', { requests: { cpu: '1' }, limits: { cpu: '1' } }],
    ['memory only', { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } }],
    ['a limit of zero', { requests: BOTH, limits: { cpu: '1', memory: '0' } }],
  ])('%s', (_name, resources) => {
    expect(classOf(container('a', { resources }))).toBe('Burstable');
  });

  test('one container without resources among others with all', () => {
    expect(classOf(exactly('a', BOTH), container('b'))).toBe('Burstable');
  });

  test('sums that happen to match do not make up for a container without limits', () => {
    const lender = container('a', { resources: { requests: BOTH } });
    const taker = container('b', { resources: { limits: BOTH } });
    expect(classOf(lender, taker)).toBe('Burstable');
  });
});

describe('for a pod with pod-level resources only those count', () => {
  const free = [container('a')];
  const greedy = [exactly('a', { cpu: '8', memory: '8Gi' })];

  test.each<readonly [string, ResourceRequirements, readonly Container[], string]>([
    ['requests equal limits', { requests: BOTH, limits: BOTH }, free, 'Guaranteed'],
    ['requests below limits', { requests: { cpu: '1' }, limits: BOTH }, greedy, 'Burstable'],
    ['requests only', { requests: BOTH }, greedy, 'Burstable'],
    ['limits only', { limits: BOTH }, greedy, 'Burstable'],
    ['one of the two only', { requests: { cpu: '1' }, limits: { cpu: '1' } }, free, 'Burstable'],
    ['nothing in it', {}, greedy, 'BestEffort'],
    ['only huge pages', { limits: { 'hugepages-2Mi': '2Mi' } }, greedy, 'BestEffort'],
  ])('%s', (_name, resources, containers, expected) => {
    expect(qosClass(podOf({ containers, resources }))).toBe(expected);
  });
});
