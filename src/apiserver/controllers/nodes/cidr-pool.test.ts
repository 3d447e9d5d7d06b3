import { expect, test } from 'vitest';
import { assert } from '../../../lib/assert.ts';
import { parseCidr } from './cidr.ts';
import { CidrPool } from './cidr-pool.ts';

function open(text: string, nodePrefix: number): CidrPool {
  const range = parseCidr(text);
  assert(range !== undefined, `${text} is a range`);
  return new CidrPool({ range, nodePrefix });
}

const allocate = (pool: CidrPool, count: number): readonly (string | null)[] =>
  Array.from({ length: count }, () => pool.allocate());

test.each([
  ['10.244.0.0/16', 24, ['10.244.0.0/24', '10.244.1.0/24', '10.244.2.0/24']],
  ['10.0.0.0/30', 31, ['10.0.0.0/31', '10.0.0.2/31', null]],
  ['10.0.0.0/24', 24, ['10.0.0.0/24', null, null]],
  ['fd00:1::/48', 64, ['fd00:1::/64', 'fd00:1:0:1::/64', 'fd00:1:0:2::/64']],
  ['fd00:1::/120', 122, ['fd00:1::/122', 'fd00:1::40/122', 'fd00:1::80/122']],
])('%s gives nodes /%d: %j', (range, nodePrefix, expected) => {
  expect(allocate(open(range, nodePrefix), 3)).toEqual(expected);
});

test.each([
  ['a block', '10.244.0.0/24', '10.244.1.0/24'],
  ['a part of a block', '10.244.0.128/25', '10.244.1.0/24'],
  ['several blocks', '10.244.0.0/22', '10.244.4.0/24'],
  ['nothing, by another range', '10.1.0.0/16', '10.244.0.0/24'],
  ['nothing, by another family', 'fd00::/64', '10.244.0.0/24'],
  ['everything', '10.0.0.0/8', null],
])('%s is occupied', (_, occupied, next) => {
  const pool = open('10.244.0.0/16', 24);
  pool.occupy(occupied);
  expect(pool.allocate()).toBe(next);
});

test('what is outside of the range is reported', () => {
  const pool = open('10.244.0.0/16', 24);
  expect([pool.occupy('10.244.9.0/24'), pool.occupy('10.245.0.0/24'), pool.occupy('odd')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a block that was just released is the last to be used again', () => {
  const pool = open('10.0.0.0/30', 32);
  allocate(pool, 2);
  pool.release('10.0.0.0/32');
  expect(allocate(pool, 4)).toEqual(['10.0.0.2/32', '10.0.0.3/32', '10.0.0.0/32', null]);
});

test('a block with two users is free when both have released it', () => {
  const pool = open('10.0.0.0/31', 32);
  pool.occupy('10.0.0.0/32');
  pool.occupy('10.0.0.0/31');
  pool.release('10.0.0.0/32');
  expect(pool.allocate()).toBeNull();
  pool.release('10.0.0.0/31');
  expect(allocate(pool, 3)).toEqual(['10.0.0.0/32', '10.0.0.1/32', null]);
});
