import { expect, test } from 'vitest';
import { idMapCalls, packCalls, packArguments } from './calls.ts';

test('a user namespace maps one user and one group', () => {
  expect(idMapCalls({ uid: 0, gid: 1 }, { uid: 1000, gid: 1001 })).toEqual([
    ['write', '/proc/self/setgroups', 'deny'],
    ['write', '/proc/self/uid_map', '0 1000 1'],
    ['write', '/proc/self/gid_map', '1 1001 1'],
  ]);
});

test('arguments are packed with their lengths in bytes, whatever they contain', () => {
  expect([...packArguments(['é', 7, Buffer.from([0, 255])])]).toEqual([
    ...[0, 0, 0, 2, 0xc3, 0xa9],
    ...[0, 0, 0, 1, 0x37],
    ...[0, 0, 0, 2, 0, 255],
  ]);
  expect(packCalls([['strict'], ['go', '/x']])).toEqual(
    packArguments(['strict', 0, 'go', 1, '/x']),
  );
});
