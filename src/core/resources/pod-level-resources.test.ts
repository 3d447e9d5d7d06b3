import { describe, expect, test } from 'vitest';
import type { Pod, PodPhase, PodSpec, PodStatus } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimeResources } from '../../api/runtime-pod.ts';
import { container, podOf } from '../../../test/support/pod-parts.ts';
import { podLevelResources } from './pod-level-resources.ts';

const CONTAINERS = [
  container('a', { resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } } }),
];
const GRANTED = { requests: { cpu: '3', memory: '3Gi' }, limits: { cpu: '4', memory: '4Gi' } };

function inPhase(phase: PodPhase, spec: Partial<PodSpec> = {}): Pod {
  return podOf({ containers: CONTAINERS, ...spec }, { status: { phase } });
}

function running(spec: Partial<PodSpec>, actual?: RuntimeResources, old: PodStatus = {}) {
  return podLevelResources(inPhase('Running', spec), actual, old);
}

describe('before a pod runs, and after, its spec is reported', () => {
  test.each(['Pending', 'Succeeded', 'Failed', 'Unknown'] as const)('%s', (phase) => {
    const actual = { cpuLimit: '9', memoryLimit: '9Gi' };
    expect(podLevelResources(inPhase(phase), actual, {})).toEqual({
      requests: { cpu: '1', memory: '1Gi' },
      limits: { cpu: '2' },
    });
  });

  test('even while the API has no phase', () => {
    expect(podLevelResources(podOf({ containers: CONTAINERS }), {}, {})).toMatchObject({
      limits: { cpu: '2' },
    });
  });

  test('with its pod-level resources, and its overhead', () => {
    const pod = inPhase('Pending', { resources: GRANTED, overhead: { cpu: '1' } });
    expect(podLevelResources(pod, {}, {})).toEqual({
      requests: { cpu: '4', memory: '3Gi' },
      limits: { cpu: '5', memory: '4Gi' },
    });
  });

  test('a pod without resources reports nothing', () => {
    expect(podLevelResources(podOf(), {}, {})).toEqual({});
  });
});

describe('while it runs, the actual ones', () => {
  test('as far as the runtime reports them', () => {
    const actual = { cpuRequest: '5', cpuLimit: '6', memoryLimit: '6Gi' };
    expect(running({ resources: GRANTED }, actual)).toEqual({
      requests: { cpu: '5', memory: '3Gi' },
      limits: { cpu: '6', memory: '6Gi' },
    });
  });

  test('a memory request cannot be read back: it is the allocated one, or the containers’ sum', () => {
    const actual = { memoryRequest: '9Gi' };
    expect(running({ resources: GRANTED }, actual).requests).toEqual(GRANTED.requests);
    expect(running({}, actual)).toEqual({ requests: { memory: '1Gi' } });
  });

  test('the containers’ cpu is not the pod’s', () => {
    expect(running({})).toEqual({ requests: { memory: '1Gi' } });
    expect(running({}, { cpuRequest: '1', cpuLimit: '2' })).toEqual({
      requests: { memory: '1Gi', cpu: '1' },
      limits: { cpu: '2' },
    });
  });

  test('rounding up by the kernel is not shown as a difference', () => {
    const resources = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
    expect(running({ resources }, { cpuRequest: '2m', cpuLimit: '10m' })).toEqual({
      requests: { cpu: '1m', memory: '1Gi' },
      limits: { cpu: '5m' },
    });
  });

  test('what the runtime does not report stays as it was for a running pod', () => {
    const resources = { requests: { cpu: '7', memory: '7Gi' }, limits: { cpu: '8' } };
    expect(running({ resources: GRANTED }, {}, { phase: 'Running', resources })).toEqual({
      requests: { cpu: '7', memory: '7Gi' },
      limits: { cpu: '8', memory: '4Gi' },
    });
    expect(running({ resources: GRANTED }, {}, { phase: 'Pending', resources })).toEqual(GRANTED);
  });

  test('claims are reported as allocated, before and while it runs', () => {
    const claims = { claims: [{ name: 'gpu' }] };
    expect(running({ resources: { ...GRANTED, ...claims } })).toEqual({ ...GRANTED, ...claims });
    const pending = inPhase('Pending', { resources: { ...GRANTED, ...claims } });
    expect(podLevelResources(pending, {}, {})).toEqual({ ...GRANTED, ...claims });
  });

  test('a pod without any known resources reports nothing', () => {
    expect(podLevelResources(podOf({}, { status: { phase: 'Running' } }), undefined, {})).toEqual(
      {},
    );
  });
});

describe('after a resize, the actuated ones (E-4)', () => {
  const before = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
  const after = { requests: { cpu: '2', memory: '2Gi' }, limits: { cpu: '2', memory: '2Gi' } };
  const old: PodStatus = { phase: 'Running', resources: before };
  const resized = inPhase('Running', { containers: [container('a', { resources: after })] });
  const report = (actuated: ResourceRequirements, actual: RuntimeResources = {}) =>
    podLevelResources(resized, actual, old, { containers: new Map([['a', actuated]]) });

  test('if the runtime reports nothing about the pod', () => {
    expect(report(before)).toEqual(before);
    expect(report(after)).toEqual(after);
  });

  test('the memory request even if it reports the rest', () => {
    const actual = { cpuRequest: '2', cpuLimit: '2', memoryLimit: '2Gi' };
    expect(report(before, actual)).toEqual({ ...after, requests: { cpu: '2', memory: '1Gi' } });
    expect(report(after, actual)).toEqual(after);
  });

  test('a pod with an unlimited container has no limit', () => {
    const containers = [container('a', { resources: after }), container('b')];
    const actuated = new Map([['a', after]]);
    const pod = inPhase('Running', { containers });
    expect(podLevelResources(pod, {}, {}, { containers: actuated })).toEqual({
      requests: after.requests,
    });
  });
});
