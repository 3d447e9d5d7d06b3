import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { localStorageLimits } from './local-storage-limits.ts';

const VOLUMES = [
  { name: 'limited', emptyDir: { sizeLimit: '1Mi' } },
  { name: 'free', emptyDir: {} },
  { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'free-memory', emptyDir: { medium: 'Memory' } },
  { name: 'config', configMap: { name: 'c' } },
  { name: 'secret', secret: { secretName: 's' } },
  { name: 'host', hostPath: { path: '/' } },
];

function podOf(spec: object, limits?: Record<string, string>): Pod {
  const container = { name: 'main', ...(limits && { resources: { limits } }) };
  return { metadata: {}, spec: { containers: [container], ...spec } };
}

function measured(pod: Pod): readonly string[] | undefined {
  return localStorageLimits(pod)?.measured.map(({ name, kind }) => `${kind} ${name}`);
}

test.each([
  ['no limit at all', podOf({})],
  ['limits of something else', podOf({}, { cpu: '1', memory: '1Gi' })],
  ['volumes without limits', podOf({ volumes: VOLUMES.filter(({ name }) => name === 'free') })],
  ['a sizeLimit of zero', podOf({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '0' } }] })],
  ['a sizeLimit of null', podOf({ volumes: [{ name: 'v', emptyDir: { sizeLimit: null } }] })],
])('a pod with %s needs no measuring', (_what, pod) => {
  expect(localStorageLimits(pod)).toBeNull();
});

test('a sizeLimit has its own volume measured, in memory too, and no other', () => {
  expect(measured(podOf({ volumes: VOLUMES }))).toEqual(['empty-dir limited', 'empty-dir memory']);
});

test('a limit of a container has everything measured that is on the disk', () => {
  expect(measured(podOf({ volumes: VOLUMES }, { 'ephemeral-storage': '1Gi' }))).toEqual([
    'empty-dir limited',
    'empty-dir free',
    'empty-dir memory',
    'configmap config',
  ]);
});

test('a limit of an init container is one of the pod', () => {
  const initContainers = [{ name: 'i', resources: { limits: { 'ephemeral-storage': '1Gi' } } }];
  const limits = localStorageLimits(podOf({ initContainers }));
  expect(limits?.pod).toEqual({ nanos: 2n ** 30n * 1_000_000_000n, format: 'BinarySI' });
  expect(limits?.containers.size).toBe(0);
});
