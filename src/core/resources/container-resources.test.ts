import { describe, expect, test } from 'vitest';
import type { ContainerStatus } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeContainerState, RuntimeResources } from '../../api/runtime-pod.ts';
import { container, running, terminated } from '../../../test/support/pod-parts.ts';
import { observed } from '../../../test/support/runtime-parts.ts';
import { containerResources } from './container-resources.ts';

const GRANTED: ResourceRequirements = {
  requests: { cpu: '100m', memory: '64Mi' },
  limits: { cpu: '200m', memory: '128Mi' },
};

interface Case {
  readonly granted?: ResourceRequirements;
  readonly actual?: RuntimeResources;
  readonly old?: ContainerStatus;
  readonly state?: RuntimeContainerState;
}

function report({ granted = GRANTED, actual, old, state = 'running' }: Case) {
  const record = observed('c', state, actual && { resources: actual });
  return containerResources(container('c', { resources: granted }), record, old);
}

describe('a container that does not run reports its allocated resources', () => {
  test.each(['created', 'exited', 'unknown'] as const)('%s', (state) => {
    const actual = { cpuRequest: '1', memoryLimit: '1Gi' };
    expect(report({ actual, state })).toBe(GRANTED);
  });

  test('and nothing if it has none', () => {
    expect(containerResources(container('c'), observed('c', 'exited'), undefined)).toEqual({});
  });
});

describe('a container that runs reports its actual resources', () => {
  test('as the runtime reports them', () => {
    const actual = {
      cpuRequest: '300m',
      cpuLimit: '400m',
      memoryRequest: '256Mi',
      memoryLimit: '512Mi',
    };
    expect(report({ actual })).toEqual({
      requests: { cpu: '300m', memory: '256Mi' },
      limits: { cpu: '400m', memory: '512Mi' },
    });
  });

  test('and the allocated ones that the runtime does not report', () => {
    expect(report({})).toEqual(GRANTED);
    expect(report({ actual: { cpuLimit: '400m' } })).toEqual({
      requests: GRANTED.requests,
      limits: { cpu: '400m', memory: '128Mi' },
    });
  });

  test('but adds no list that was not allocated', () => {
    const actual = { cpuRequest: '300m', cpuLimit: '400m', memoryLimit: '1Gi' };
    expect(report({ granted: {}, actual })).toEqual({});
    expect(report({ granted: { requests: { cpu: '100m' } }, actual })).toEqual({
      requests: { cpu: '300m' },
    });
    expect(report({ granted: { limits: {} }, actual })).toEqual({
      limits: { cpu: '400m', memory: '1Gi' },
    });
  });

  test('other resources, and claims, stay as allocated', () => {
    const claims = { claims: [{ name: 'gpu' }] };
    const granted = { ...claims, limits: { 'example.com/gpu': '1', cpu: '1' } };
    expect(report({ granted, actual: { cpuLimit: '2' } })).toEqual({
      ...claims,
      limits: { 'example.com/gpu': '1', cpu: '2' },
    });
  });
});

describe('rounding up by the kernel is not shown as a difference', () => {
  test.each([
    ['0', '2m', '0'],
    ['1m', '2m', '1m'],
    ['2m', '2m', '2m'],
    ['1m', '3m', '3m'],
    ['3m', '2m', '2m'],
  ])('a request of %s, %s in force: %s', (cpu, cpuRequest, shown) => {
    expect(report({ granted: { requests: { cpu } }, actual: { cpuRequest } })).toEqual({
      requests: { cpu: shown },
    });
  });

  test.each([
    ['5m', '10m', '5m'],
    ['10m', '10m', '10m'],
    ['5m', '11m', '11m'],
    ['11m', '10m', '10m'],
  ])('a limit of %s, %s in force: %s', (cpu, cpuLimit, shown) => {
    expect(report({ granted: { limits: { cpu } }, actual: { cpuLimit } })).toEqual({
      limits: { cpu: shown },
    });
  });

  test('an absent request counts as zero', () => {
    const granted = { requests: { memory: '1Gi' } };
    expect(report({ granted, actual: { cpuRequest: '2m' } })).toEqual(granted);
    expect(report({ granted, actual: { cpuRequest: '100m' } })).toEqual({
      requests: { memory: '1Gi', cpu: '100m' },
    });
  });
});

describe('what the runtime does not report is taken from the previous status', () => {
  const resources = {
    requests: { cpu: '150m', memory: '96Mi' },
    limits: { cpu: '250m', memory: '192Mi' },
  };
  const same = running('c', { containerID: 'test://c', resources });

  test('for the same container that ran then', () => {
    expect(report({ old: same })).toEqual(resources);
  });

  test('but the runtime takes precedence', () => {
    expect(report({ old: same, actual: { memoryLimit: '1Gi' } }).limits).toEqual({
      cpu: '250m',
      memory: '1Gi',
    });
  });

  test.each([
    ['another container', { ...same, containerID: 'test://older' }],
    ['one that did not run', terminated('c', 0, { containerID: 'test://c', resources })],
    ['one that reported nothing', running('c', { containerID: 'test://c' })],
  ])('not for %s', (_name, old) => {
    expect(report({ old })).toEqual(GRANTED);
  });
});

describe('what the runtime does not report is the actuated value (E-4)', () => {
  const resized = {
    requests: { cpu: '300m', memory: '96Mi' },
    limits: { cpu: '400m', memory: '1Gi' },
  };
  const before = { ...running('c'), resources: GRANTED };
  const show = (actual: RuntimeResources | undefined, actuated: ResourceRequirements) =>
    containerResources(
      container('c', { resources: resized }),
      observed('c', 'running', {
        ...(actual && { resources: actual }),
        id: before.containerID ?? '',
      }),
      before,
      actuated,
    );
  const actual = { cpuRequest: '300m', cpuLimit: '400m', memoryLimit: '1Gi' };

  test('the memory request, which no runtime reports', () => {
    expect(show(actual, resized)).toEqual(resized);
    expect(show(actual, GRANTED).requests).toEqual({ cpu: '300m', memory: '64Mi' });
  });

  test('and everything, if it reports nothing', () => {
    expect(show(undefined, resized)).toEqual(resized);
    expect(show(undefined, GRANTED)).toEqual(GRANTED);
  });
});
