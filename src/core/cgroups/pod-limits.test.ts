import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { burstableShares, nodeCgroupLimits, podCgroupLimits } from './pod-limits.ts';

const SETTINGS = {
  hasCpuQuota: true,
  cpuPeriodUs: 100_000,
  podPidsLimit: -1,
  hugePageSizes: [],
};
const NO_PAGES = { hugePages: new Map() };

function podOf(spec: object): Pod {
  return { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: spec as Pod['spec'] };
}

function containerOf(requests: object, limits: object = {}) {
  return { name: 'c', resources: { requests, limits } };
}

test('a pod without requests gets the minimum', () => {
  expect(podCgroupLimits(podOf({ containers: [{ name: 'c' }] }), SETTINGS)).toEqual({
    cpuShares: 2,
    ...NO_PAGES,
  });
});

test('a guaranteed pod is limited as a whole', () => {
  const both = { cpu: '500m', memory: '1M' };
  const containers = [containerOf(both, both), containerOf(both, both)];
  expect(podCgroupLimits(podOf({ containers }), SETTINGS)).toEqual({
    cpuShares: 1024,
    cpuQuotaUs: 100_000,
    cpuPeriodUs: 100_000,
    memoryBytes: 2_000_000,
    ...NO_PAGES,
  });
});

test('one container without a limit leaves the pod without it', () => {
  const containers = [
    containerOf({ cpu: '1' }, { cpu: '2', memory: '1M' }),
    containerOf({ cpu: '1' }, { cpu: '2' }),
  ];
  expect(podCgroupLimits(podOf({ containers }), SETTINGS)).toEqual({
    cpuShares: 2048,
    cpuQuotaUs: 400_000,
    cpuPeriodUs: 100_000,
    ...NO_PAGES,
  });
});

test('unless the pod itself has one', () => {
  const resources = { requests: { cpu: '1' }, limits: { memory: '5M' } };
  const pod = podOf({ containers: [{ name: 'c' }], resources });
  expect(podCgroupLimits(pod, SETTINGS)).toEqual({
    cpuShares: 1024,
    memoryBytes: 5_000_000,
    ...NO_PAGES,
  });
});

test('overhead is part of the pod', () => {
  const both = { cpu: '500m', memory: '1M' };
  const pod = podOf({
    containers: [containerOf(both, both)],
    overhead: { cpu: '500m', memory: '1M' },
  });
  expect(podCgroupLimits(pod, SETTINGS)).toMatchObject({
    cpuShares: 1024,
    cpuQuotaUs: 100_000,
    memoryBytes: 2_000_000,
  });
});

test('a node may limit processes, refuse quotas, and has huge pages of some sizes', () => {
  const both = { cpu: '1', memory: '1M', 'hugepages-2Mi': '4Mi' };
  const settings = {
    ...SETTINGS,
    hasCpuQuota: false,
    podPidsLimit: 100,
    hugePageSizes: ['2MB', '1GB'],
  };
  expect(podCgroupLimits(podOf({ containers: [containerOf(both, both)] }), settings)).toMatchObject(
    {
      cpuQuotaUs: -1,
      processes: 100,
      hugePages: new Map([
        ['2MB', 4 * 1024 * 1024],
        ['1GB', 0],
      ]),
    },
  );
});

test('the shares of burstable pods are the sum of their requests', () => {
  const both = { cpu: '4', memory: '1M' };
  expect(
    burstableShares([
      podOf({ containers: [containerOf({ cpu: '250m' })] }),
      podOf({ containers: [containerOf({ cpu: '750m' })] }),
      podOf({ containers: [containerOf(both, both)] }),
    ]),
  ).toBe(1024);
});

test('all pods together get what the node does not reserve', () => {
  expect(nodeCgroupLimits({ cpu: '2', memory: '1Ki', pid: '1000' })).toEqual({
    cpuShares: 2048,
    memoryBytes: 1024,
    processes: 1000,
  });
});
