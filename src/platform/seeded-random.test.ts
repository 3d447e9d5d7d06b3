import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from './seeded-random.ts';
import { systemRandom } from './system-random.ts';

function draw(seed: number, count: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.next());
}

describe('seeded random numbers', () => {
  test('the same seed gives the same numbers, another seed gives others', () => {
    expect(draw(42, 100)).toEqual(draw(42, 100));
    expect(draw(42, 100)).not.toEqual(draw(43, 100));
  });

  test('these numbers never change, so that a seed in a report can be replayed', () => {
    expect(draw(1, 3)).toMatchInlineSnapshot(`
      [
        0.5883937727194279,
        0.07318899407982826,
        0.59031065646559,
      ]
    `);
  });

  test('every number is at least 0 and below 1', () => {
    const property = fc.property(fc.integer(), (seed) => {
      for (const number of [...draw(seed, 20), systemRandom.next()]) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThan(1);
      }
    });
    fc.assert(property);
    expect.hasAssertions();
  });

  test('the numbers are spread evenly', () => {
    const tenths = draw(7, 100_000).map((number) => Math.floor(number * 10));
    for (let tenth = 0; tenth < 10; tenth++) {
      const count = tenths.filter((each) => each === tenth).length;
      expect(Math.abs(count - 10_000)).toBeLessThan(400);
    }
  });
});
