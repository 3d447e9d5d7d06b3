import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { CONTAINER_SETTINGS_DEFAULT } from './container-settings.ts';
import { kernelResources, sandboxResources } from './kernel-resources.ts';
import type { RunContainer } from '../../../api/run-spec.ts';

const CAPACITY = { memoryCapacityBytes: 4_000_000_000 };

function resourcesOf(container: RunContainer, spec: object = {}) {
  return kernelResources(livePod('web', { containers: [container], ...spec }), container, CAPACITY);
}

test('a container without requests gets the minimum, and is killed first when memory runs out', () => {
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

test('a limit without a request is a request, and tiny limits become the least that the kernel can express', () => {
  expect(resourcesOf({ name: 'a', resources: { limits: { cpu: '1m' } } })).toMatchObject({
    cpuShares: 2,
    cpuQuota: 1000,
  });
  expect(resourcesOf({ name: 'a', resources: { limits: { cpu: '2' } } }).cpuShares).toBe(2048);
});

test('a guaranteed container is killed last', () => {
  const both = { cpu: '1', memory: '1Gi' };
  const resources = { requests: both, limits: both };
  expect(resourcesOf({ name: 'a', resources }).oomScoreAdjust).toBe(-997);
  const critical = { priority: 2_000_001_000, priorityClassName: 'system-node-critical' };
  expect(resourcesOf({ name: 'a' }, critical).oomScoreAdjust).toBe(-997);
  const lesser = { priority: 2_000_000_000, priorityClassName: 'system-cluster-critical' };
  expect(resourcesOf({ name: 'a' }, lesser).oomScoreAdjust).toBe(1000);
});

test('a burstable container is always between the two', () => {
  const little = { requests: { memory: '1' } };
  const much = { requests: { memory: '100G' } };
  expect(resourcesOf({ name: 'a', resources: little }).oomScoreAdjust).toBe(999);
  expect(resourcesOf({ name: 'a', resources: much }).oomScoreAdjust).toBe(3);
});

test('the requests of the pod count for each of its containers', () => {
  const containers = [{ name: 'a', resources: { requests: { memory: '1G' } } }, { name: 'b' }];
  const pod = livePod('web', { containers, resources: { requests: { memory: '2G' } } });
  const scores = pod.spec.containers.map(
    (container) => kernelResources(pod, container, CAPACITY).oomScoreAdjust,
  );
  expect(scores).toEqual([625, 875]);
});

test('a sidecar is not killed before the containers that it serves', () => {
  const sidecar = { name: 'side', restartPolicy: 'Always' as const };
  const main = { name: 'main', resources: { requests: { memory: '2G' } } };
  const pod = livePod('web', { containers: [main], initContainers: [sidecar] });
  expect(kernelResources(pod, sidecar, CAPACITY).oomScoreAdjust).toBe(500);
});

test('a container without limits gets the limits of the pod', () => {
  const resources = { limits: { cpu: '1', memory: '1G' } };
  const pod = livePod('web', { containers: [{ name: 'a' }], resources });
  expect(kernelResources(pod, { name: 'a' }, CAPACITY)).toMatchObject({
    cpuShares: 1024,
    cpuQuota: 100_000,
    memoryLimitBytes: 1_000_000_000,
  });
});

test("CPU limits are not enforced if the node says so, or in periods of the node's length", () => {
  const container = { name: 'a', resources: { limits: { cpu: '500m' } } };
  const given = (changes: object) => {
    const containers = { ...CONTAINER_SETTINGS_DEFAULT, ...changes };
    return kernelResources(livePod('web'), container, { ...CAPACITY, containers });
  };
  expect(given({ hasCpuQuota: false })).not.toHaveProperty('cpuQuota');
  expect(given({ cpuPeriodUs: 10_000 })).toMatchObject({ cpuQuota: 5000, cpuPeriod: 10_000 });
});

test('huge pages are forbidden in every size that a container does not request', () => {
  const containers = { ...CONTAINER_SETTINGS_DEFAULT, hugePageSizes: ['2MB', '1GB'] };
  const container = { name: 'a', resources: { limits: { 'hugepages-2Mi': '8Mi' } } };
  const given = kernelResources(livePod('web'), container, { ...CAPACITY, containers });
  expect(given.hugePages).toEqual([
    { pageSize: '2MB', limitBytes: 8 * 1024 * 1024 },
    { pageSize: '1GB', limitBytes: 0 },
  ]);
});

test('swap cannot be used to exceed a memory limit, and the kernel kills a container as a whole', () => {
  const containers = {
    ...CONTAINER_SETTINGS_DEFAULT,
    limitsSwap: true,
    unified: { 'memory.oom.group': '1' },
  };
  const container = { name: 'a', resources: { limits: { memory: '1M' } } };
  expect(kernelResources(livePod('web'), container, { ...CAPACITY, containers })).toMatchObject({
    memorySwapLimitBytes: 1_000_000,
    unified: { 'memory.oom.group': '1' },
  });
});

test('a sandbox gets the resources of the whole pod, and the overhead separately', () => {
  const resources = { requests: { cpu: '100m' }, limits: { cpu: '1', memory: '1M' } };
  const containers = [
    { name: 'a', resources },
    { name: 'b', resources },
  ];
  const pod = livePod('web', { containers, overhead: { cpu: '250m', memory: '2M' } });
  expect(sandboxResources(pod)).toEqual({
    resources: {
      cpuShares: 204,
      cpuQuota: 200_000,
      cpuPeriod: 100_000,
      memoryLimitBytes: 2_000_000,
    },
    overhead: {
      cpuShares: 256,
      cpuQuota: 25_000,
      cpuPeriod: 100_000,
      memoryLimitBytes: 2_000_000,
    },
  });
  expect(sandboxResources(livePod('web'))).toEqual({ resources: { cpuShares: 2 }, overhead: {} });
});
