import { statSync, type Stats } from 'node:fs';
import { expect, test } from 'vitest';
import type { SystemCall } from '../../../lib/syscall-helper/calls.ts';
import type { Mount } from '../../../ports/runtime/container-config.ts';
import { rootCalls, type RootRequest } from './root-calls.ts';

const FOLDER = statSync('/');
const POD_USERS = { kind: 'pod', file: '/run/users', firstId: 7_000_000, mapsTree: true } as const;

function request(changes: Partial<RootRequest> = {}): RootRequest {
  return {
    place: '/data/root',
    base: { folder: '/data/skeleton', tree: [{ path: '/usr', isFixed: false }] },
    users: POD_USERS,
    hasLayers: true,
    isReadOnly: false,
    isPrivileged: false,
    mounts: [],
    devices: [],
    maskedPaths: ['/proc/kcore'],
    readonlyPaths: ['/proc/sys'],
    workingDir: '/work',
    hostname: 'web-0',
    hasProcesses: true,
    hasNetwork: true,
    inspect: (): Stats => FOLDER,
    ...changes,
  };
}

function volume(containerPath: string, changes: Partial<Mount> = {}): Mount {
  return {
    containerPath,
    hostPath: `/volumes${containerPath}`,
    isReadOnly: false,
    isRecursiveReadOnly: false,
    propagation: 'None',
    ...changes,
  };
}

const positionOf = (calls: readonly SystemCall[], ...words: SystemCall): number =>
  calls.findIndex((call) => words.every((word, index) => call[index] === word));

test('layers are mapped to the IDs of the pod before they are overlaid', () => {
  const calls = rootCalls(request());
  const mapped = positionOf(calls, 'attributes', 'layer 1');
  expect(calls[mapped]?.at(-1)).toBe('users');
  const overlaid = calls.findIndex((call) => call[0] === 'mount' && call[2] === 'r/usr');
  expect(overlaid).toBeGreaterThan(mapped);
  expect(calls[overlaid]).toContain('lowerdir=l/1,upperdir=u/1,workdir=w/1');
});

test('a tree that cannot be mapped is shown as it is, read-only', () => {
  const calls = rootCalls(request({ users: { ...POD_USERS, mapsTree: false } }));
  expect(calls).toContainEqual(['show', 'layer 1', 'r/usr']);
  const [, , , flags] = calls[positionOf(calls, 'attributes', 'layer 1')] ?? [];
  expect(Number(flags) & 1).toBe(1);
  expect(calls.at(positionOf(calls, 'attributes', 'layer 1'))?.at(-1)).toBe('');
});

test('volumes are mounted in the order of their depth, and all mounts come before masked paths', () => {
  const calls = rootCalls(request({ mounts: [volume('/a/b'), volume('/a')] }));
  const outer = calls.findIndex((call) => call[0] === 'place' && call[3] === '/a');
  const inner = calls.findIndex((call) => call[0] === 'place' && call[3] === '/a/b');
  const masked = positionOf(calls, 'mask', 'root', '/proc/kcore');
  const frozen = positionOf(calls, 'freeze', 'root', '/proc/sys');
  const pivot = positionOf(calls, 'pivot', 'root');
  expect([outer, inner, masked, frozen, pivot].toSorted((a, b) => a - b)).toEqual([
    outer,
    inner,
    masked,
    frozen,
    pivot,
  ]);
});

test('its users are joined after the pivot, and own the mounts from then on', () => {
  const calls = rootCalls(request());
  const names = calls.slice(positionOf(calls, 'pivot', 'root')).map(([name]) => name);
  expect(names).toEqual(['pivot', 'join', 'groups', 'user', 'unshare']);
  const plain = rootCalls(request({ users: { kind: 'machine' } }));
  expect(plain.at(-1)).toEqual(['pivot', 'root']);
});

test('a path of the machine is mounted without setuid and devices, and need not be mapped', () => {
  const calls = rootCalls(request({ mounts: [volume('/a', { isHostPath: true })] }));
  const [, , , flags] = calls[positionOf(calls, 'attributes', 'volume 0')] ?? [];
  expect(Number(flags)).toBe(2 | 4);
  expect(positionOf(calls, '?attributes', 'volume 0')).toBeGreaterThan(0);
  expect(calls[positionOf(calls, 'place', 'volume 0')]?.at(-1)).toBe(1);
});

test('a part of a volume is opened beneath the volume', () => {
  const part = volume('/a', { hostPath: '/volumes/v/x/y', volumePath: '/volumes/v' });
  const calls = rootCalls(request({ mounts: [part] }));
  expect(calls).toContainEqual(['keep', 'volume 0 volume', '/volumes/v', 'path']);
  expect(calls).toContainEqual(['keep_beneath', 'volume 0 part', 'volume 0 volume', 'x/y']);
  expect(calls).toContainEqual(['tree', 'volume 0', 'volume 0 part', 1]);
});

test.each([
  ['/proc', 'below /proc'],
  ['/proc/self/attr', 'below /proc'],
  ['//proc//1', 'below /proc'],
  ['/a/../proc', '".."'],
  ['/', 'the root itself'],
  ['a', 'not absolute'],
])('a mount at %s is refused', (containerPath, reason) => {
  expect(() => rootCalls(request({ mounts: [volume(containerPath)] }))).toThrow(reason);
});

test('mounts to propagate to the machine, and mounts of missing paths, are refused', () => {
  const both = volume('/a', { propagation: 'Bidirectional' });
  expect(() => rootCalls(request({ mounts: [both] }))).toThrow('hand mounts of a container');
  const missing = { mounts: [volume('/a')], inspect: () => undefined };
  expect(() => rootCalls(request(missing))).toThrow('/volumes/a is not there');
});

test('without its own network, /sys is the machine’s, read-only, with control groups covered', () => {
  const calls = rootCalls(request({ hasNetwork: false }));
  expect(calls).toContainEqual(['place', '/sys', 'root', '/sys', 'folder', 0]);
  expect(calls).toContainEqual(['mask', 'root', '/sys/fs/cgroup']);
});

test('a read-only root becomes read-only after all mount points are created', () => {
  const calls = rootCalls(request({ isReadOnly: true, mounts: [volume('/new')] }));
  const closed = positionOf(calls, 'restrict', 'root', '/');
  expect(closed).toBeGreaterThan(positionOf(calls, 'place', 'volume 0'));
  expect(positionOf(calls, 'restrict', 'root', '/usr')).toBeGreaterThan(0);
});

test('one call fills /dev, and devices that the machine lacks are left out', () => {
  const inspect = (file: string): Stats | undefined => (file === '/dev/full' ? undefined : FOLDER);
  const calls = rootCalls(request({ inspect, devices: ['/dev/net/tun'] }));
  const filled = positionOf(calls, 'devices', 'root', 'pts mqueue shm');
  expect(calls[filled]?.slice(3)).toEqual(['null', 'zero', 'random', 'urandom', 'tty']);
  expect(filled).toBe(positionOf(calls, 'mount_in', 'root', 'dev') + 1);
  expect(positionOf(calls, 'place', '/dev/net/tun')).toBeGreaterThan(filled);
});
