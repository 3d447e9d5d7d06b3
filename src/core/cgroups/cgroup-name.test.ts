import { expect, test } from 'vitest';
import {
  cgroupPath,
  podCgroup,
  podsCgroup,
  podUidOf,
  qosCgroup,
  sliceName,
} from './cgroup-name.ts';

const PODS = podsCgroup('');

test('a pod is below the group of its class; one with guarantees is below all pods', () => {
  expect(cgroupPath(podCgroup(PODS, 'Burstable', 'a-1'), 'cgroupfs')).toBe(
    '/kubepods/burstable/poda-1',
  );
  expect(cgroupPath(podCgroup(PODS, 'BestEffort', 'a-1'), 'cgroupfs')).toBe(
    '/kubepods/besteffort/poda-1',
  );
  expect(cgroupPath(podCgroup(PODS, 'Guaranteed', 'a-1'), 'cgroupfs')).toBe('/kubepods/poda-1');
});

test('systemd names every level in full, and has no dashes within a level', () => {
  const name = podCgroup(PODS, 'Burstable', 'a-1');
  expect(cgroupPath(name, 'systemd')).toBe(
    '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda_1.slice',
  );
  expect(sliceName(name)).toBe('kubepods-burstable-poda_1.slice');
});

test('all pods may be below a configured cgroup root', () => {
  expect(cgroupPath(qosCgroup(podsCgroup('/machine/k8s/'), 'Burstable'), 'cgroupfs')).toBe(
    '/machine/k8s/kubepods/burstable',
  );
});

test.each([
  ['poda-1', 'cgroupfs', 'a-1'],
  ['kubepods-burstable-poda_1.slice', 'systemd', 'a-1'],
  ['burstable', 'cgroupfs', null],
  ['kubepods-burstable.slice', 'systemd', null],
  ['pod', 'cgroupfs', null],
  ['cri-containerd-abc.scope', 'systemd', null],
] as const)('%s of %s is the group of pod %s', (last, driver, uid) => {
  expect(podUidOf(last, driver)).toBe(uid);
});
