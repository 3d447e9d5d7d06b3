import { describe, expect, test } from 'vitest';
import type { Pod, PodPhase, PodSpec, PodStatus } from '../api/pod.ts';
import type { RuntimeResources } from '../api/runtime-pod.ts';
import { container, podOf } from '../../test/support/pod-parts.ts';
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

  test('also while the API has no phase', () => {
    expect(podLevelResources(podOf({ containers: CONTAINERS }), {}, {})).toMatchObject({
      limits: { cpu: '2' },
    });
  });

  test('with what the pod says for itself, and its overhead', () => {
    const pod = inPhase('Pending', { resources: GRANTED, overhead: { cpu: '1' } });
    expect(podLevelResources(pod, {}, {})).toEqual({
      requests: { cpu: '4', memory: '3Gi' },
      limits: { cpu: '5', memory: '4Gi' },
    });
  });

  test('a pod that asks for nothing reports nothing', () => {
    expect(podLevelResources(podOf(), {}, {})).toEqual({});
  });
});

describe('while it runs, what is in force', () => {
  test('as far as the runtime can tell', () => {
    const actual = { cpuRequest: '5', cpuLimit: '6', memoryLimit: '6Gi' };
    expect(running({ resources: GRANTED }, actual)).toEqual({
      requests: { cpu: '5', memory: '3Gi' },
      limits: { cpu: '6', memory: '6Gi' },
    });
  });

  test('a memory request cannot be read back: it is the granted one, or the containers’ sum', () => {
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

  test('what the kernel rounds up is not shown as a difference', () => {
    const resources = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
    expect(running({ resources }, { cpuRequest: '2m', cpuLimit: '10m' })).toEqual({
      requests: { cpu: '1m', memory: '1Gi' },
      limits: { cpu: '5m' },
    });
  });

  test('where the runtime is silent, what was reported of a running pod stays', () => {
    const resources = { requests: { cpu: '7', memory: '7Gi' }, limits: { cpu: '8' } };
    expect(running({ resources: GRANTED }, {}, { phase: 'Running', resources })).toEqual({
      requests: { cpu: '7', memory: '7Gi' },
      limits: { cpu: '8', memory: '4Gi' },
    });
    expect(running({ resources: GRANTED }, {}, { phase: 'Pending', resources })).toEqual(GRANTED);
  });

  test('claims are reported as granted, before and while it runs', () => {
    const claims = { claims: [{ name: 'gpu' }] };
    expect(running({ resources: { ...GRANTED, ...claims } })).toEqual({ ...GRANTED, ...claims });
    const pending = inPhase('Pending', { resources: { ...GRANTED, ...claims } });
    expect(podLevelResources(pending, {}, {})).toEqual({ ...GRANTED, ...claims });
  });

  test('a pod of which nothing is known reports nothing', () => {
    expect(podLevelResources(podOf({}, { status: { phase: 'Running' } }), undefined, {})).toEqual(
      {},
    );
  });
});
