/**
 * Schedules such as `0 3 * * 1-5`: five fields, or a word such as `@daily`. Only whether a schedule
 * can be read is decided here; when it is due is the business of whoever starts the jobs.
 */
import { parseGoDuration } from '../../api/time-duration.ts';
import { PodkeepError } from '../../lib/errors.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
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
const WORDS: ReadonlySet<string> = new Set(
  ['yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly'].map((w) => `@${w}`),
);
const EVERY = '@every ';
const ZONE = /^(?:CRON_)?TZ=\S+\s+/;

/** What is wrong with the schedule; undefined: nothing. */
export function faultOfSchedule(schedule: string): string | undefined {
  const text = schedule.trim().replace(ZONE, '');
  if (text === '') return 'empty spec string';
  if (text.startsWith('@')) return faultOfWord(text);
  const fields = text.split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const part of (fields[index] ?? '').split(',')) {
      const fault = faultOfPart(part, bounds);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function faultOfWord(text: string): string | undefined {
  if (WORDS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  try {
    parseGoDuration(text.slice(EVERY.length));
    return undefined;
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    return `failed to parse duration ${text}: ${error.message}`;
  }
}

/** `*`, `5`, `1-5`, each with a step behind a slash. */
function faultOfPart(part: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...more] = part.split('/');
  const [low = '', high, ...rest] = range.split('-');
  if (more.length > 0) return `too many slashes: ${part}`;
  if (rest.length > 0) return `too many hyphens: ${part}`;
  const isAll = low === '*' || low === '?';
  const start = isAll ? bounds.min : numberOf(low, bounds);
  if (start === undefined) return notANumber(low);
  const end =
    high === undefined
      ? isAll || step !== undefined
        ? bounds.max
        : start
      : numberOf(high, bounds);
  if (end === undefined) return notANumber(high ?? '');
  const every = step === undefined ? 1 : numberOf(step, { min: 0, max: 0 });
  if (every === undefined) return notANumber(step ?? '');
  if (start < bounds.min)
    return `beginning of range (${start}) below minimum (${bounds.min}): ${part}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return every === 0 ? `step of range should be a positive number: ${part}` : undefined;
}

function numberOf(text: string, { min, names = [] }: Bounds): number | undefined {
  const index = names.indexOf(text.toLowerCase());
  if (index !== -1) return index + min;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function notANumber(text: string): string {
  const quoted = JSON.stringify(text);
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`;
}
