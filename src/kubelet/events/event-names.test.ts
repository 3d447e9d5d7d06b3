import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { isDns1123Subdomain } from '../../api/validation-names.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { EventNames } from './event-names.ts';

test('a name is that of the object and the nanoseconds since 1970 in hexadecimal', () => {
  const names = new EventNames(new VirtualClock(0x1234), seededRandom(1));
  expect(names.next('web')).toBe(`web.${(0x1234 * 1_000_000).toString(16)}`);
});

test('within a millisecond names go up one by one, and they never go back', async () => {
  let nowMs = 1000;
  const clock = { now: () => nowMs, monotonic: () => 0, after: () => () => {} };
  const names = new EventNames(clock, seededRandom(1));
  const numberOf = () => Number.parseInt(names.next('web').slice(4), 16);
  expect([numberOf(), numberOf()]).toEqual([1_000_000_000, 1_000_000_001]);
  nowMs = 999;
  expect(numberOf()).toBe(1_000_000_002);
  nowMs = 1001;
  expect(numberOf()).toBe(1_001_000_000);
});

test.each(['a'.repeat(250), 'Not_A_Name', ''])(
  'a name that cannot be one is a UUID: %s',
  (name) => {
    const names = new EventNames(new VirtualClock(), seededRandom(1));
    const [first, second] = [names.next(name), names.next(name)];
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(isDns1123Subdomain(first)).toBe(true);
    expect(second).not.toBe(first);
  },
);
