import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { OtherPods } from '../admission/other-pods.ts';
import { sysctlAllowlist } from '../admission/sysctls.ts';
import { decideResize, type ResizeLimits } from './resize-decision.ts';

const NO_LIMITS: ResizeLimits = {
  swap: 'NoSwap',
  cpuManagerPolicy: 'none',
  memoryManagerPolicy: 'None',
};

function podWith(resources: ResourceRequirements, more: object = {}): Pod {
  return { metadata: { uid: 'a' }, spec: { containers: [{ name: 'c', resources, ...more }] } };
}

const both = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

function evaluated(before: Pod, pod: Pod, limits: Partial<ResizeLimits> = {}, os = 'linux') {
  return decideResize({
    pod,
    allocated: before,
    limits: { ...NO_LIMITS, ...limits },
    others: new OtherPods(),
    node: { metadata: { name: 'n1' } },
    allocatable: { cpu: '2', memory: '4Gi', pods: 5 },
    pressures: [],
    platform: {
      os,
      appArmorFault: null,
      sysctls: sysctlAllowlist([]),
      declaredFeatures: new Set(),
    },
  });
}

test('a resize that fits is granted', () => {
  const decision = evaluated(podWith(both('1', '1Gi')), podWith(both('2', '1Gi')));
  expect(decision).toEqual({ type: 'granted', victims: [] });
});

test('more than the whole node has is deferred, as the kubelet does', () => {
  expect(evaluated(podWith(both('1', '1Gi')), podWith(both('5', '1Gi')))).toEqual({
    type: 'deferred',
    why: {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 2000",
    },
  });
});

test.each([
  ['windows', 'In-place pod resize is not supported on Windows', 'windows'],
  ['darwin', 'In-place pod resize is not supported on this node', 'unsupported_platform'],
])('%s resizes nothing', (os, message, detail) => {
  const decision = evaluated(podWith(both('1', '1Gi')), podWith(both('2', '1Gi')), {}, os);
  expect(decision).toEqual({ type: 'infeasible', message, detail });
});

test.each<[Partial<ResizeLimits>, ResourceRequirements, string]>([
  [
    { cpuManagerPolicy: 'static' },
    both('2', '1Gi'),
    'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
  ],
  [
    { memoryManagerPolicy: 'Static' },
    both('1', '2Gi'),
    'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
  ],
])('a guaranteed pod keeps what is its own alone: %j', (limits, wanted, message) => {
  const before = podWith(both('1', '1Gi'));
  expect(evaluated(before, podWith(wanted), limits)).toMatchObject({ type: 'infeasible', message });
  const other = limits.cpuManagerPolicy ? both('1', '2Gi') : both('2', '1Gi');
  expect(evaluated(before, podWith(other), limits).type).toBe('granted');
});

test('memory of a container that may swap is not resized, unless it restarts for it', () => {
  const swap = 'LimitedSwap' as const;
  const [small, large] = [{ requests: { memory: '1Mi' } }, { requests: { memory: '2Mi' } }];
  expect(evaluated(podWith(small), podWith(large), { swap })).toEqual({
    type: 'infeasible',
    message: 'In-place resize of containers with swap is not supported.',
    detail: 'swap_limitation',
  });
  const restarting = {
    resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
  };
  const decision = evaluated(podWith(small, restarting), podWith(large, restarting), { swap });
  expect(decision.type).toBe('granted');
  const steady = evaluated(podWith(both('1', '1Gi')), podWith(both('1', '2Gi')), { swap });
  expect(steady.type).toBe('granted');
});
