import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfSchedule } from './cron-schedule.ts';

describe('a schedule', () => {
  it.each([
    '* * * * *',
    '*/15 0-6,12 1 * sun',
    '5/10 * ? JAN-DEC 1-5',
    '@hourly',
    '@every 90s',
    '  0 0 1 1 0  ',
  ])('%j is valid', (schedule) => {
    expect(faultOfSchedule(schedule)).toBeUndefined();
  });

  it.each([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['* 24 * * *', 'end of range (24) above maximum (23): 24'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['@never', 'unrecognized descriptor: @never'],
    ['   ', 'empty spec string'],
  ])('%j is invalid: %s', (schedule, fault) => {
    expect(faultOfSchedule(schedule)).toBe(fault);
  });

  it('is valid if every number of it is in its range', () => {
    const field = (min: number, max: number) => fc.integer({ min, max }).map(String);
    const fields = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
    fc.assert(
      fc.property(fields, (five) => {
        expect(faultOfSchedule(five.join(' '))).toBeUndefined();
      }),
    );
  });

  it('of any text is checked without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => faultOfSchedule(text)).not.toThrow();
      }),
    );
  });
});
