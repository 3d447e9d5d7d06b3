/** Functions and operators on timestamps and durations. */
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Duration, Timestamp, type CelValue } from '../value.ts';
import { duration, text, timestamp } from './arguments.ts';
import { floorDivide } from './time-text.ts';

const MS = 1_000_000n;
const DAY_MS = 86_400_000;

type Part = (date: Date) => number;

const PARTS: readonly (readonly [string, Part])[] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getDayOfYear', dayOfYear],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
];

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start) / DAY_MS);
}

/** A Date whose UTC parts are the local time in the zone. */
function dateIn(value: CelValue | undefined, zone: string): Date {
  const ms = Number(floorDivide(timestamp(value).nanos, MS));
  return new Date(ms + offsetOf(zone, ms));
}

function offsetOf(zone: string, ms: number): number {
  const [, sign, hours = '', minutes = ''] = /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) ?? [];
  if (sign !== undefined) {
    const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return sign === '-' ? -size : size;
  }
  if (zone === '' || zone === 'UTC') return 0;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, plus, h = '0', m = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    const size = (Number(h) * 60 + Number(m)) * 60_000;
    return plus === '-' ? -size : size;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

const partsOfTime: readonly Overload[] = PARTS.flatMap(([name, part]) => [
  overload(`timestamp.${name}(): int`, ([a]) => BigInt(part(dateIn(a, 'UTC')))),
  overload(`timestamp.${name}(string): int`, ([a, zone]) => BigInt(part(dateIn(a, text(zone))))),
]);

const partsOfDuration: readonly Overload[] = [
  overload('duration.getHours(): int', ([a]) => duration(a).nanos / (3_600_000n * MS)),
  overload('duration.getMinutes(): int', ([a]) => duration(a).nanos / (60_000n * MS)),
  overload('duration.getSeconds(): int', ([a]) => duration(a).nanos / (1000n * MS)),
  overload('duration.getMilliseconds(): int', ([a]) => duration(a).nanos / MS),
];

const sums: readonly Overload[] = [
  overload('_+_(timestamp, duration): timestamp', ([a, b]) => {
    return new Timestamp(timestamp(a).nanos + duration(b).nanos);
  }),
  overload('_+_(duration, timestamp): timestamp', ([a, b]) => {
    return new Timestamp(duration(a).nanos + timestamp(b).nanos);
  }),
  overload('_+_(duration, duration): duration', ([a, b]) => {
    return new Duration(duration(a).nanos + duration(b).nanos);
  }),
  overload('_-_(timestamp, timestamp): duration', ([a, b]) => {
    return new Duration(timestamp(a).nanos - timestamp(b).nanos);
  }),
  overload('_-_(timestamp, duration): timestamp', ([a, b]) => {
    return new Timestamp(timestamp(a).nanos - duration(b).nanos);
  }),
  overload('_-_(duration, duration): duration', ([a, b]) => {
    return new Duration(duration(a).nanos - duration(b).nanos);
  }),
];

export const times: readonly Overload[] = [...partsOfTime, ...partsOfDuration, ...sums];
