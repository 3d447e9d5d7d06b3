import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  timeZoneOf,
  UTC_ZONE,
  wallTimeOf,
  type TimeZone,
} from '../../../../api/values/time-zone.ts';
import {
  parseCronSchedule,
  type CronSchedule,
  type FieldSchedule,
} from '../../../kinds/batch/cron-schedule.ts';
import { nextRunMs } from './next-run.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

type Recorded = readonly [spec: string, zone: string, from: string, times: readonly string[]];

function recordedRuns(): readonly Recorded[] {
  const text = readFileSync(new URL('recorded-runs.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line): Recorded => JSON.parse(line));
}

function zoneOf(name: string): TimeZone {
  const zone = timeZoneOf(name);
  if (!zone) throw new Error(`this Node does not know the zone ${name}`);
  return zone;
}

function runsAfter(schedule: CronSchedule, zone: TimeZone, from: string, count: number) {
  const runs: number[] = [];
  let ms: number | null = Date.parse(from);
  while (runs.length < count) {
    ms = nextRunMs(schedule, zone, ms);
    runs.push(ms ?? Number.NaN);
    if (ms === null) break;
  }
  return runs;
}

describe('times of robfig/cron v3, recorded around changes of the clock', () => {
  it.each(recordedRuns())('%s in %s after %s', (spec, zone, from, times) => {
    const runs = runsAfter(parseCronSchedule(spec), zoneOf(zone), from, times.length);
    expect(runs).toEqual(times.map((time) => Date.parse(time)));
  });
});

/** Tries every minute; null: there is none in so many days. */
function dumbNext(schedule: FieldSchedule, zone: TimeZone, afterMs: number, days: number) {
  const first = Math.floor(afterMs / MINUTE_MS) + 1;
  for (let minute = first; minute < first + days * DAY_MINUTES; minute++) {
    const wall = wallTimeOf(zone, minute * MINUTE_MS);
    const [isDay, isWeekday] = [schedule.days.has(wall.day), schedule.weekdays.has(wall.weekday)];
    const isDue =
      schedule.minutes.has(wall.minute) &&
      schedule.hours.has(wall.hour) &&
      schedule.months.has(wall.month) &&
      (schedule.needsBothDays ? isDay && isWeekday : isDay || isWeekday);
    if (isDue) return minute * MINUTE_MS;
  }
  return null;
}

const number = (min: number, max: number) => fc.integer({ min, max });

function fieldText(min: number, max: number): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constant('*'),
    number(min, max).map(String),
    number(1, max).map((step) => `*/${step}`),
    fc.tuple(number(min, max), number(min, max)).map(([a, b]) => `${a},${b}`),
    fc
      .tuple(number(min, max), number(min, max), number(1, 5))
      .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}/${step}`),
  );
}

/** Their clocks change at one or two at night; at midnight robfig/cron skips days (recorded above). */
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Europe/London'];

it('is what trying every minute finds', () => {
  const fields = fc.tuple(
    fieldText(0, 59),
    fieldText(0, 23),
    fieldText(1, 31),
    fc.constantFrom('*', '*', '3', '3-11'),
    fieldText(0, 6),
  );
  const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
  const days = 25;
  fc.assert(
    fc.property(fields, start, fc.constantFrom(...ZONES), (five, startMs, name) => {
      const schedule = parseCronSchedule(five.join(' '));
      if (schedule.kind !== 'fields') throw new Error('not reached');
      const zone = zoneOf(name);
      const expected = dumbNext(schedule, zone, startMs, days);
      const found = nextRunMs(schedule, zone, startMs);
      const isFar = found === null || found > startMs + days * DAY_MINUTES * MINUTE_MS;
      expect(isFar ? null : found).toBe(expected);
    }),
    { numRuns: 50 },
  );
});

it('an interval counts from the full second', () => {
  const schedule = parseCronSchedule('@every 1m30s');
  expect(nextRunMs(schedule, UTC_ZONE, 10_999)).toBe(100_000);
});
