import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectiveGracePeriod } from './grace-period.ts';

describe('PW-45: how long a pod gets to stop', () => {
  test.each([
    [0, undefined, undefined, 30, 30, false],
    [0, 5, undefined, 30, 5, false],
    [0, 5, 2, 30, 2, false],
    [0, 0, undefined, 30, 1, false],
    [0, undefined, 0, 30, 1, false],
    [0, 5, 0, 30, 1, false],
    [30, 10, undefined, 30, 10, true],
    [30, 0, undefined, 30, 1, true],
    [10, 60, undefined, 30, 10, false],
    [1, 0, undefined, 30, 1, false],
    [0, undefined, undefined, undefined, 1, false],
    [0, 0, 15, undefined, 15, false],
    [20, 0, 15, undefined, 15, true],
  ])(
    'granted %s, deletion %s, override %s, spec %s: %s seconds, shortened %s',
    (current, deletion, override, spec, gracePeriod, shortened) => {
      const answer = effectiveGracePeriod({
        current,
        deletionGracePeriodSeconds: deletion,
        gracePeriodOverride: override,
        terminationGracePeriodSeconds: spec,
      });
      expect(answer).toEqual({ gracePeriod, shortened });
    },
  );

  test('once granted, the spec does not count any more', () => {
    expect(effectiveGracePeriod({ current: 10, terminationGracePeriodSeconds: 5 })).toEqual({
      gracePeriod: 10,
      shortened: false,
    });
  });

  test('the same request again is no change', () => {
    expect(effectiveGracePeriod({ current: 10, gracePeriodOverride: 10 })).toEqual({
      gracePeriod: 10,
      shortened: false,
    });
  });

  test('an override after a deletion of zero counts from zero, and so may lengthen', () => {
    // The rule compares with the running value, which is zero by then. Recorded from the kubelet.
    expect(
      effectiveGracePeriod({ current: 1, deletionGracePeriodSeconds: 0, gracePeriodOverride: 3 }),
    ).toEqual({ gracePeriod: 3, shortened: true });
  });

  test('a spec of zero or less is still a second', () => {
    expect(effectiveGracePeriod({ current: 0, terminationGracePeriodSeconds: 0 }).gracePeriod).toBe(
      1,
    );
    expect(
      effectiveGracePeriod({ current: 0, terminationGracePeriodSeconds: -5 }).gracePeriod,
    ).toBe(1);
  });
});

describe('A-78: for any requests', () => {
  const wish = fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined });
  const request = fc.record({
    current: fc.integer({ min: 0, max: 60 }),
    deletionGracePeriodSeconds: wish,
    gracePeriodOverride: wish,
    terminationGracePeriodSeconds: wish,
  });

  test('there is at least a second', () => {
    fc.assert(
      fc.property(request, (asked) => {
        expect(effectiveGracePeriod(asked).gracePeriod).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('the granted time is never exceeded, except in the case above, and a shorter one is reported', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { current, deletionGracePeriodSeconds, gracePeriodOverride } = asked;
        fc.pre(deletionGracePeriodSeconds !== 0 || gracePeriodOverride === undefined);
        const { gracePeriod, shortened } = effectiveGracePeriod(asked);
        expect(gracePeriod).toBeLessThanOrEqual(current || Infinity);
        expect(shortened).toBe(current > gracePeriod);
      }),
      { numRuns: 500 },
    );
  });

  test('requesting the granted time again changes nothing', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { gracePeriod: current } = effectiveGracePeriod(asked);
        expect(effectiveGracePeriod({ ...asked, current })).toEqual({
          gracePeriod: current,
          shortened: false,
        });
      }),
      { numRuns: 500 },
    );
  });
});
