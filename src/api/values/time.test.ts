import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import {
  compareTimes,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  sameInstant,
  secondsBetween,
  truncateToSeconds,
} from './time.ts';

const invalid: unknown = expect.objectContaining({ code: 'TIME_INVALID' });

const NOON = Date.UTC(2026, 0, 2, 12, 0, 0);

describe('reading', () => {
  test('a time in UTC', () => {
    expect(parseTime('2026-01-02T12:00:00Z')).toEqual({ ms: NOON, nanos: 0 });
    expect(parseTime('1970-01-01T00:00:00Z')).toEqual({ ms: 0, nanos: 0 });
  });

  test('an offset is subtracted', () => {
    expect(parseTime('2026-01-02T13:30:00+01:30').ms).toBe(NOON);
    expect(parseTime('2026-01-02T01:00:00-11:00').ms).toBe(NOON);
    expect(parseTime('2026-01-02T12:00:00-00:00').ms).toBe(NOON);
  });

  test('fractions reach nanoseconds, and finer digits are dropped', () => {
    expect(parseTime('2026-01-02T12:00:00.5Z')).toEqual({ ms: NOON + 500, nanos: 0 });
    expect(parseTime('2026-01-02T12:00:00.123456789Z')).toEqual({ ms: NOON + 123, nanos: 456_789 });
    expect(parseTime('2026-01-02T12:00:00.0000000019Z')).toEqual({ ms: NOON, nanos: 1 });
    expect(parseTime('1969-12-31T23:59:59.9999Z')).toEqual({ ms: -1, nanos: 900_000 });
  });

  test('Go also takes an hour of one digit, a comma, and offsets of a whole day', () => {
    expect(parseTime('2026-01-02T3:00:00Z').ms).toBe(NOON - 9 * 3_600_000);
    expect(parseTime('2026-01-02T3:00:00,25Z').ms).toBe(NOON - 9 * 3_600_000 + 250);
    expect(parseTime('2026-01-03T12:00:00+24:00').ms).toBe(NOON);
    expect(parseTime('2026-01-02T13:00:00+00:60').ms).toBe(NOON);
  });

  test('leap days are days of leap years', () => {
    for (const year of ['2024', '2000', '0000', '1600']) {
      expect(
        parseTime(`${year}-03-01T00:00:00Z`).ms - parseTime(`${year}-02-29T00:00:00Z`).ms,
      ).toBe(86_400_000);
    }
    for (const year of ['2023', '1900', '2100', '0001']) {
      expect(() => parseTime(`${year}-02-29T00:00:00Z`)).toThrow(invalid);
    }
  });

  test.each([
    '',
    'now',
    '2026-01-02',
    '2026-01-02t12:00:00Z',
    '2026-01-02T12:00:00z',
    '2026-01-02 12:00:00Z',
    '2026-01-02T12:00:00',
    '2026-01-02T12:00Z',
    '2026-01-02T12:00:00.Z',
    '2026-01-02T12:00:00ZZ',
    ' 2026-01-02T12:00:00Z',
    '2026-01-02T12:00:00Z ',
    '2026-1-02T12:00:00Z',
    '2026-13-02T12:00:00Z',
    '2026-00-02T12:00:00Z',
    '2026-01-32T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-01-00T12:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T12:60:00Z',
    '2026-01-02T12:00:60Z',
    '2026-01-02T12:0:00Z',
    '2026-01-02T12:00:00+0100',
    '2026-01-02T12:00:00+01',
    '2026-01-02T12:00:00+25:00',
    '2026-01-02T12:00:00+00:61',
    '2026-01-02T12:00:00*01:00',
    '02026-01-02T12:00:00Z',
    '-026-01-02T12:00:00Z',
    '２０26-01-02T12:00:00Z',
  ])('"%s" is refused, as Go refuses it', (text) => {
    expect(() => parseTime(text)).toThrow(invalid);
    expect(() => truncateToSeconds(text)).toThrow(invalid);
  });

  test('a micro time has six digits, no fewer and no more', () => {
    expect(parseMicroTime('2026-01-02T12:00:00.000250Z')).toEqual({ ms: NOON, nanos: 250_000 });
    expect(parseMicroTime('2026-01-02T13:00:00.000000+01:00').ms).toBe(NOON);
    for (const fraction of ['', '.5', '.12345', '.1234567', '.12345x']) {
      expect(() => parseMicroTime(`2026-01-02T12:00:00${fraction}Z`)).toThrow(invalid);
    }
  });

  test('the error shows the text, cut short if it is long, and an example', () => {
    expect(() => parseTime('noon')).toThrow(
      expect.objectContaining({
        message: 'time "noon" is not valid',
        hint: expect.stringContaining('2026-01-02T03:04:05Z'),
      }),
    );
    expect(() => parseTime('9'.repeat(1000))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('9'.repeat(100)) }),
    );
  });
});

describe('writing', () => {
  test('a Time has whole seconds, and a started second is not over', () => {
    expect(formatTime(NOON)).toBe('2026-01-02T12:00:00Z');
    expect(formatTime(NOON + 999.9)).toBe('2026-01-02T12:00:00Z');
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59Z');
  });

  test('a MicroTime always has six digits', () => {
    expect(formatMicroTime(NOON)).toBe('2026-01-02T12:00:00.000000Z');
    expect(formatMicroTime(NOON + 7)).toBe('2026-01-02T12:00:00.007000Z');
    expect(formatMicroTime(NOON + 7, 1999)).toBe('2026-01-02T12:00:00.007001Z');
    expect(formatMicroTime(-1, 999_999)).toBe('1969-12-31T23:59:59.999999Z');
  });

  test('years of four digits are all that the form can hold', () => {
    expect(formatTime(parseTime('0000-01-01T00:00:00Z').ms)).toBe('0000-01-01T00:00:00Z');
    expect(formatTime(parseTime('9999-12-31T23:59:59Z').ms)).toBe('9999-12-31T23:59:59Z');
    for (const ms of [253_402_300_800_000, -62_167_219_200_001, Number.NaN, Infinity]) {
      expect(() => formatTime(ms)).toThrow(invalid);
      expect(() => formatMicroTime(ms)).toThrow(invalid);
    }
  });
});

describe('whole seconds (SM-37)', () => {
  test('a text in UTC without a fraction comes back as it is', () => {
    for (const text of ['2026-01-02T03:04:05Z', '0001-01-01T00:00:00Z', '2026-01-02T3:04:05Z']) {
      expect(truncateToSeconds(text)).toBe(text);
    }
  });

  test('an offset becomes UTC, as it does when the API server prints the time', () => {
    expect(truncateToSeconds('2026-01-02T03:04:05+02:00')).toBe('2026-01-02T01:04:05Z');
    expect(truncateToSeconds('2026-01-02T03:04:05+00:00')).toBe('2026-01-02T03:04:05Z');
  });

  test('a fraction is cut off, not rounded, even if it is nothing', () => {
    expect(truncateToSeconds('2026-01-02T03:04:05.999999999Z')).toBe('2026-01-02T03:04:05Z');
    expect(truncateToSeconds('2026-01-02T03:04:05.000000Z')).toBe('2026-01-02T03:04:05Z');
    expect(truncateToSeconds('1969-12-31T23:59:59.5Z')).toBe('1969-12-31T23:59:59Z');
  });

  test('what had to be cut comes back in the form of a Time', () => {
    expect(truncateToSeconds('2026-01-02T03:04:05.5+02:00')).toBe('2026-01-02T01:04:05Z');
    expect(truncateToSeconds('2026-01-02T3:04:05,5Z')).toBe('2026-01-02T03:04:05Z');
  });
});

describe('comparing', () => {
  test('moments are compared, not texts', () => {
    expect(sameInstant('2026-01-02T12:00:00Z', '2026-01-02T13:00:00.000+01:00')).toBe(true);
    expect(compareTimes('2026-01-02T12:00:00Z', '2026-01-02T12:30:00+01:00')).toBe(1);
    expect(compareTimes('2026-01-02T12:00:00.1Z', '2026-01-02T12:00:00.09Z')).toBe(1);
    expect(compareTimes('2026-01-02T12:00:00.000000001Z', '2026-01-02T12:00:00.000000002Z')).toBe(
      -1,
    );
    expect(() => compareTimes('2026-01-02T12:00:00Z', 'later')).toThrow(invalid);
    expect(() => sameInstant('sooner', '2026-01-02T12:00:00Z')).toThrow(invalid);
  });

  test('the time between two moments has a sign and a fraction', () => {
    expect(secondsBetween('2026-01-02T12:00:00Z', '2026-01-02T12:01:20.5Z')).toBe(80.5);
    expect(secondsBetween('2026-01-02T12:01:00Z', '2026-01-02T12:00:00Z')).toBe(-60);
    expect(secondsBetween('2026-01-02T12:00:00Z', '2026-01-02T12:00:00.000000005Z')).toBe(5e-9);
  });
});

function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof PodkeepError ? error.code : `not our error: ${String(error)}`;
  }
}

describe('laws', () => {
  const instants = fc.record({
    ms: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
    micros: fc.integer({ min: 0, max: 999 }),
  });

  test('calendar and clock agree with those of the language', () => {
    fc.assert(
      fc.property(instants, ({ ms }) => {
        expect(parseTime(new Date(ms).toISOString())).toEqual({ ms, nanos: 0 });
      }),
      { numRuns: 2000 },
    );
  });

  test('a micro time that was written reads back, and truncated it is the Time', () => {
    fc.assert(
      fc.property(instants, ({ ms, micros }) => {
        const text = formatMicroTime(ms, micros * 1000);
        expect(parseMicroTime(text)).toEqual({ ms, nanos: micros * 1000 });
        expect(truncateToSeconds(text)).toBe(formatTime(ms));
        expect(truncateToSeconds(formatTime(ms))).toBe(formatTime(ms));
      }),
    );
  });

  test('texts in UTC with the same digits are ordered like their moments', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [left, right] = [formatMicroTime(a.ms), formatMicroTime(b.ms)];
        expect(compareTimes(left, right)).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(secondsBetween(left, right)).toBeCloseTo((b.ms - a.ms) / 1000, 3);
      }),
    );
  });

  test('any text is either read or refused with our error', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...'0123456789-:.,TZtz+ '.split('')),
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.nat({ max: 30 }), noise, (at, text) => {
        const edited = '2026-01-02T03:04:05.678Z'.slice(0, at) + text;
        const code = refusalOf(() => parseTime(edited));
        expect(['TIME_INVALID', undefined]).toContain(code);
      }),
      { numRuns: 1000 },
    );
  });
});
