import { expect, test } from 'vitest';
import { seededRandom } from '../../platform/seeded-random.ts';
import { isTraceSampled } from './trace-sampling.ts';

const HIGH = 'f'.repeat(16);

test.each([
  ['0000000000000000', 0, false],
  ['0000000000000000', 1, true],
  ['ffffffffffffffff', 1_000_000, true],
  ['ffffffffffffffff', 999_999, false],
  ['7fffffffffffffff', 500_000, true],
  ['8000000000000000', 500_000, false],
])('a trace whose ID ends with %s at %i per million: %s', (low, rate, isSampled) => {
  expect(isTraceSampled(`${HIGH}${low}`, rate)).toBe(isSampled);
});

test('of random IDs the configured part is sampled', () => {
  const random = seededRandom(1);
  const ids = Array.from({ length: 4000 }, () => Buffer.from(random.bytes(16)).toString('hex'));
  const sampled = ids.filter((id) => isTraceSampled(id, 250_000)).length;
  expect(sampled).toBeGreaterThan(880);
  expect(sampled).toBeLessThan(1120);
});
