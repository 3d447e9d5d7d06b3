import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { kernelResources } from './kernel-resources.ts';
import type { RunContainer } from './run-spec.ts';

const CAPACITY = 4_000_000_000;

function resourcesOf(container: RunContainer, spec: object = {}) {
  return kernelResources(livePod('web', { containers: [container], ...spec }), container, CAPACITY);
}

test('a container that asks for nothing gets the least, and goes first when memory runs out', () => {
  expect(resourcesOf({ name: 'a' })).toEqual({ cpuShares: 2, oomScoreAdjust: 1000 });
});

test('requests become shares, and limits quota and bytes', () => {
  const resources = {
    requests: { cpu: '250m', memory: '1G' },
    limits: { cpu: '1500m', memory: '2G' },
  };
  expect(resourcesOf({ name: 'a', resources })).toEqual({
    cpuShares: 256,
    cpuQuota: 150_000,
    cpuPeriod: 100_000,
    memoryLimitBytes: 2_000_000_000,
    oomScoreAdjust: 750,
  });
});

test('a limit without a request is a request, and tiny limits are what the kernel can express', () => {
  expect(resourcesOf({ name: 'a', resources: { limits: { cpu: '1m' } } })).toMatchObject({
    cpuShares: 2,
    cpuQuota: 1000,
  });
  expect(resourcesOf({ name: 'a', resources: { limits: { cpu: '2' } } }).cpuShares).toBe(2048);
});

test('who has all that it asked for goes last', () => {
  const both = { cpu: '1', memory: '1Gi' };
  const resources = { requests: both, limits: both };
  expect(resourcesOf({ name: 'a', resources }).oomScoreAdjust).toBe(-997);
  expect(resourcesOf({ name: 'a' }, { priority: 2_000_000_000 }).oomScoreAdjust).toBe(-997);
});

test('between the two there is always a difference to both ends', () => {
  const little = { requests: { memory: '1' } };
  const much = { requests: { memory: '100G' } };
  expect(resourcesOf({ name: 'a', resources: little }).oomScoreAdjust).toBe(999);
  expect(resourcesOf({ name: 'a', resources: much }).oomScoreAdjust).toBe(3);
});

test('a sidecar does not go before the containers that it serves', () => {
  const sidecar = { name: 'side', restartPolicy: 'Always' as const };
  const main = { name: 'main', resources: { requests: { memory: '2G' } } };
  const pod = livePod('web', { containers: [main], initContainers: [sidecar] });
  expect(kernelResources(pod, sidecar, CAPACITY).oomScoreAdjust).toBe(500);
});

test('the limits of the pod as a whole hold a container that has none', () => {
  const resources = { limits: { cpu: '1', memory: '1G' } };
  const pod = livePod('web', { containers: [{ name: 'a' }], resources });
  expect(kernelResources(pod, { name: 'a' }, CAPACITY)).toMatchObject({
    cpuQuota: 100_000,
    memoryLimitBytes: 1_000_000_000,
  });
});
