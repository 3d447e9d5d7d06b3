/**
 * Parses cron schedules such as `0 3 * * 1-5`: five fields, or a macro such as `@daily`. The CronJob
 * controller decides when a schedule is due.
 */
import { parseGoDuration } from '../../../api/values/time-duration.ts';
import { PodkeepError } from '../../../lib/errors.ts';

export type CronSchedule = FieldSchedule | IntervalSchedule;

export interface FieldSchedule {
  readonly kind: 'fields';
  /** The time zone in the schedule itself, which new CronJobs may not have. Null: none. */
  readonly zone: string | null;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** True: one of the two day fields is a star. Otherwise a day that matches either field is due. */
  readonly needsBothDays: boolean;
}

export interface IntervalSchedule {
  readonly kind: 'every';
  readonly seconds: number;
}

/** The schedule is invalid. */
export class ScheduleFault extends Error {}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';
const ZONE = /^(?:CRON_)?TZ=(\S+)\s+/;
const MS_PER_SECOND = 1000;

/** Undefined: the schedule is valid. */
export function faultOfSchedule(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleFault) return error.message;
    throw error;
  }
}

/** Throws a ScheduleFault. */
export function parseCronSchedule(schedule: string): CronSchedule {
  const trimmed = schedule.trim();
  const zone = ZONE.exec(trimmed)?.[1] ?? null;
  const text = trimmed.replace(ZONE, '');
  if (text === '') throw new ScheduleFault('empty spec string');
  if (text.startsWith(EVERY)) return parseInterval(text);
  if (text.startsWith('@') && !MACROS.has(text)) {
    throw new ScheduleFault(`unrecognized descriptor: ${text}`);
  }
  const words = (MACROS.get(text) ?? text).split(/\s+/);
  if (words.length !== FIELDS.length) {
    throw new ScheduleFault(
      `expected exactly 5 fields, found ${words.length}: [${words.join(' ')}]`,
    );
  }
  const [minute, hour, day, month, weekday] = FIELDS.map((bounds, index) =>
    parseField(words[index] ?? '', bounds),
  );
  return {
    kind: 'fields',
    zone,
    minutes: valuesOf(minute),
    hours: valuesOf(hour),
    days: valuesOf(day),
    months: valuesOf(month),
    weekdays: valuesOf(weekday),
    needsBothDays: day?.isStar === true || weekday?.isStar === true,
  };
}

function valuesOf(field: Field | undefined): ReadonlySet<number> {
  return field?.values ?? new Set();
}

/** At least one second, in whole seconds. */
function parseInterval(text: string): IntervalSchedule {
  try {
    const ms = parseGoDuration(text.slice(EVERY.length));
    return { kind: 'every', seconds: Math.max(1, Math.floor(ms / MS_PER_SECOND)) };
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    throw new ScheduleFault(`failed to parse duration ${text}: ${error.message}`);
  }
}

function parseField(text: string, bounds: Bounds): Field {
  const parts = text.split(',').map((part) => parsePart(part, bounds));
  return {
    values: new Set(parts.flatMap(({ values }) => [...values])),
    isStar: parts.some(({ isStar }) => isStar),
  };
}

/** `*`, `5`, `1-5`, each with an optional step after a slash. */
function parsePart(part: string, bounds: Bounds): Field {
  const [range = '', step, ...more] = part.split('/');
  const [low = '', high, ...rest] = range.split('-');
  if (more.length > 0) throw new ScheduleFault(`too many slashes: ${part}`);
  if (rest.length > 0) throw new ScheduleFault(`too many hyphens: ${part}`);
  const isAll = low === '*' || low === '?';
  const isOpen = isAll || step !== undefined;
  const start = isAll ? bounds.min : numberOf(low, bounds);
  const last = isOpen ? bounds.max : start;
  const end = high === undefined || isAll ? last : numberOf(high, bounds);
  const every = step === undefined ? 1 : numberOf(step, { min: 0, max: 0 });
  if (start < bounds.min) {
    throw new ScheduleFault(`beginning of range (${start}) below minimum (${bounds.min}): ${part}`);
  }
  if (end > bounds.max) {
    throw new ScheduleFault(`end of range (${end}) above maximum (${bounds.max}): ${part}`);
  }
  if (start > end) {
    throw new ScheduleFault(`beginning of range (${start}) beyond end of range (${end}): ${part}`);
  }
  if (every === 0) throw new ScheduleFault(`step of range should be a positive number: ${part}`);
  const values = new Set<number>();
  for (let value = start; value <= end; value += every) values.add(value);
  return { values, isStar: isAll && every === 1 };
}

function numberOf(text: string, { min, names = [] }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  if (index !== -1) return index + min;
  if (/^\d+$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  throw new ScheduleFault(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`,
  );
}
