import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatHumanDuration } from './human-duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

describe('two or three figures, as kubectl prints them', () => {
  test.each([
    [0, '0s'],
    [999, '0s'],
    [SECOND, '1s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE - SECOND, '9m59s'],
    [10 * MINUTE + 30 * SECOND, '10m'],
    [3 * HOUR - SECOND, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 20 * MINUTE, '3h20m'],
    [8 * HOUR - MINUTE, '7h59m'],
    [8 * HOUR + 30 * MINUTE, '8h'],
    [2 * DAY - SECOND, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [8 * DAY - SECOND, '7d23h'],
    [8 * DAY + 5 * HOUR, '8d'],
    [2 * YEAR - SECOND, '729d'],
    [2 * YEAR, '2y'],
    [2 * YEAR + DAY, '2y1d'],
    [8 * YEAR, '8y'],
    [8 * YEAR + 100 * DAY, '8y'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatHumanDuration(ms)).toBe(text);
  });
});

test('a clock that is slightly behind counts as now, one that is far behind does not', () => {
  expect(formatHumanDuration(-1)).toBe('0s');
  expect(formatHumanDuration(-1999)).toBe('0s');
  expect(formatHumanDuration(-2000)).toBe('<invalid>');
});

test('the text is never long', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1000 * YEAR }), (ms) => {
      expect(formatHumanDuration(ms)).toMatch(/^\d+[smhdy](?:\d+[smhd])?$/);
    }),
  );
});
