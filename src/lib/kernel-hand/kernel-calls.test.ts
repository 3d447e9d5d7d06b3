import { expect, test } from 'vitest';
import { idMapCalls, mountCalls, packCalls, packWords } from './kernel-calls.ts';

test('a mount has its flags as a number, and the rest as words', () => {
  const options = ['nosuid', 'nodev', 'mode=755', 'size=4k'];
  expect(mountCalls({ source: 'tmpfs', target: '/t', type: 'tmpfs', options })).toEqual([
    ['mount', 'tmpfs', '/t', 'tmpfs', 2 | 4, 'mode=755,size=4k'],
  ]);
});

test('a bind mount takes other flags in a second step', () => {
  const bind = { source: '/a', target: '/b', type: 'none' };
  expect(mountCalls({ ...bind, options: ['rbind'] })).toEqual([
    ['mount', '/a', '/b', 'none', 0x5000, ''],
  ]);
  expect(mountCalls({ ...bind, options: ['rbind', 'ro', 'relatime'] })).toEqual([
    ['mount', '/a', '/b', 'none', 0x5000, ''],
    ['readonly', '/b', 0x1000 | 0x20 | 0x1 | 0x20_0000],
  ]);
  expect(mountCalls({ ...bind, options: ['bind', 'nosuid'] })).toEqual([
    ['mount', '/a', '/b', 'none', 0x1000, ''],
    ['mount', 'none', '/b', 'none', 0x1000 | 0x20 | 0x2, ''],
  ]);
});

test('a user namespace maps one user and one group', () => {
  expect(idMapCalls({ uid: 0, gid: 1 }, { uid: 1000, gid: 1001 })).toEqual([
    ['write', '/proc/self/setgroups', 'deny'],
    ['write', '/proc/self/uid_map', '0 1000 1'],
    ['write', '/proc/self/gid_map', '1 1001 1'],
  ]);
});

test('words are packed with their lengths in bytes, whatever is in them', () => {
  expect([...packWords(['é', 7, Buffer.from([0, 255])])]).toEqual([
    ...[0, 0, 0, 2, 0xc3, 0xa9],
    ...[0, 0, 0, 1, 0x37],
    ...[0, 0, 0, 2, 0, 255],
  ]);
  expect(packCalls([['strict'], ['go', '/x']])).toEqual(packWords(['strict', 0, 'go', 1, '/x']));
});
