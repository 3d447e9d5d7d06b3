import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatGoDuration, parseGoDuration } from './time-duration.ts';

const invalid: unknown = expect.objectContaining({
  code: 'TIME_INVALID',
  message: expect.stringMatching(/^duration /),
});

describe('writing', () => {
  test.each([
    [0, '0s'],
    [10_000, '10s'],
    [20_000, '20s'],
    [80_000, '1m20s'],
    [160_000, '2m40s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
    [5_400_000, '1h30m0s'],
    [90_061_001, '25h1m1.001s'],
    [1500, '1.5s'],
    [100, '100ms'],
    [1.5, '1.5ms'],
    [0.25, '250µs'],
    [0.0015, '1.5µs'],
    [0.000001, '1ns'],
    [-1500, '-1.5s'],
    [59_999.999999, '59.999999999s'],
    [0.9999999, '1ms'],
    [9_223_372_036_854, '2562047h47m16.854s'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatGoDuration(ms)).toBe(text);
  });

  test('an infinite duration is a bug', () => {
    expect(() => formatGoDuration(Infinity)).toThrow('a duration of Infinity ms');
    expect(() => formatGoDuration(Number.NaN)).toThrow('a duration of NaN ms');
  });
});

describe('reading', () => {
  test.each([
    ['300ms', 300],
    ['1h30m', 5_400_000],
    ['-1.5h', -5_400_000],
    ['+5s', 5000],
    ['0', 0],
    ['-0', 0],
    ['-0s', 0],
    ['1.1s', 1100],
    ['.5s', 500],
    ['1.s', 1000],
    ['1m1m', 120_000],
    ['1s1h', 3_601_000],
    ['1us', 0.001],
    ['1\u00B5s', 0.001],
    ['1\u03BCs', 0.001],
    ['1ns', 0.000001],
    ['0.9ns', 0],
    ['00000000000000000000001s', 1000],
    ['2562047h47m16.854775807s', 9_223_372_036_854.775],
  ])('%s is %d ms', (text, ms) => {
    expect(parseGoDuration(text)).toBeCloseTo(ms, 2);
    expect(Object.is(parseGoDuration(text), -0)).toBe(false);
  });

  test.each([
    '',
    '-',
    '5',
    '1.5',
    's',
    '.s',
    '-.s',
    '1d',
    '1S',
    '1 s',
    '1s ',
    '1h-1m',
    '--1s',
    '1..s',
  ])('"%s" is refused', (text) => {
    expect(() => parseGoDuration(text)).toThrow(invalid);
  });

  test('durations beyond Go’s range are refused, and its last nanosecond is not', () => {
    expect(() => parseGoDuration('9223372036854775807ns')).not.toThrow();
    expect(() => parseGoDuration('9223372036854775808ns')).toThrow(invalid);
    expect(() => parseGoDuration('-9223372036854775808ns')).not.toThrow();
    expect(() => parseGoDuration('-9223372036854775809ns')).toThrow(invalid);
    expect(() => parseGoDuration(`${'9'.repeat(1_000_000)}h`)).toThrow(invalid);
  });
});

test('a duration that was written reads back to the nanosecond', () => {
  const durations = fc.tuple(
    fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
    fc.integer({ min: 0, max: 999_999 }),
  );
  fc.assert(
    fc.property(durations, ([ms, nanos]) => {
      expect(parseGoDuration(formatGoDuration(ms))).toBe(ms);
      const exact = ms + nanos / 1_000_000;
      expect(parseGoDuration(formatGoDuration(exact))).toBeCloseTo(exact, 6);
    }),
    { numRuns: 500 },
  );
});
