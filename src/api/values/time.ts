/**
 * Parses, prints and compares times in Kubernetes' format.
 *
 * podkeep stores and passes times as their RFC 3339 text from the wire, never as a Date. A `Time` has whole
 * seconds and a `MicroTime` always six digits, both in UTC with a `Z`.
 *
 * Parsing accepts and refuses exactly what Go does. Go refuses a lowercase `t` or `z`, but accepts an hour of
 * one digit, a comma before the fraction, and offsets up to 24:60. Digits finer than nanoseconds are dropped.
 *
 * These functions run for every status that is compared or written, so they parse in place, without splitting
 * the text. They read no clock.
 */
import { defineError } from '../../lib/errors.ts';

/** A point in time, for calculations. */
export interface Instant {
  /** Whole milliseconds since 1970, rounded down. */
  readonly ms: number;
  /** The nanoseconds after those, from 0 to 999,999. */
  readonly nanos: number;
}

const EXAMPLES = {
  time: '2026-01-02T03:04:05Z',
  'micro time': '2026-01-02T03:04:05.000006Z',
  duration: '300ms, 1.5s or 1h30m',
};

export const timeInvalid = defineError<{ kind: keyof typeof EXAMPLES; text: string }>({
  code: 'TIME_INVALID',
  retry: 'never',
  message: ({ kind, text }) => `${kind} ${JSON.stringify(text.slice(0, 80))} is not valid`,
  hint: ({ kind }) => `Write it like ${EXAMPLES[kind]}.`,
});

/** The last second of the years that four digits can name. */
export const LAST_TIME_MS = 253_402_300_799_000;

/** The first and the last millisecond of those years. */
const MS_MIN = -62_167_219_200_000;
const MS_MAX = LAST_TIME_MS + 999;

const SECONDS_PER_DAY = 86_400;
const MONTH_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_BEFORE_1970 = 719_528;

const [PLUS, COMMA, MINUS, POINT, COLON, T, Z] = [43, 44, 45, 46, 58, 84, 90] as const;

export function parseTime(text: string): Instant {
  const shift = hourLength(text) - 2;
  const seconds = readDate(text) + readClock(text, 11, shift);
  let index = 19 + shift;
  let fraction = 0;
  if (isFraction(text, index)) {
    let scale = 100_000_000;
    for (index += 1; isDigit(text.charCodeAt(index)); index++) {
      fraction += Math.floor(scale) * (text.charCodeAt(index) - 48);
      scale /= 10;
    }
  }
  const ms = (seconds - readOffset(text, index)) * 1000 + Math.floor(fraction / 1_000_000);
  // Any part that is not a number in its range makes the sum NaN.
  if (Number.isNaN(ms)) throw timeInvalid({ kind: 'time', text });
  return { ms, nanos: fraction % 1_000_000 };
}

/** Kubernetes takes a MicroTime with six digits after the point, no fewer and no more. */
export function parseMicroTime(text: string): Instant {
  const start = 17 + hourLength(text) + 1;
  const hasSix = isFraction(text, start - 1) && !Number.isNaN(readDigits(text, start, 6));
  if (!hasSix || isDigit(text.charCodeAt(start + 6))) {
    throw timeInvalid({ kind: 'micro time', text });
  }
  return parseTime(text);
}

/** Whole seconds in UTC. Fractions are cut off, not rounded: the second has not passed yet. */
export function formatTime(ms: number): string {
  return `${formatSeconds(ms)}Z`;
}

/** Six digits of a second in UTC. `nanos` adds what is finer than a millisecond. */
export function formatMicroTime(ms: number, nanos = 0): string {
  const rest = Math.floor(ms) - Math.floor(ms / 1000) * 1000;
  const micros = rest * 1000 + Math.floor(nanos / 1000);
  return `${formatSeconds(ms)}.${String(micros).padStart(6, '0')}Z`;
}

/**
 * The same time in whole seconds (SM-37), in the form of a Time. A text that already has this form is
 * returned unchanged.
 */
export function truncateToSeconds(text: string): string {
  // Most calls are about the same recent time.
  if (text === whole) return text;
  const { ms } = parseTime(text);
  const end = 17 + hourLength(text);
  if (!isFraction(text, end)) {
    if (!text.endsWith('Z')) return formatTime(ms);
    /** The last text that was found to be in whole seconds of UTC. Undefined: none yet. */
    whole = text;
    return text;
  }
  return end === 19 && text.endsWith('Z') ? `${text.slice(0, end)}Z` : formatTime(ms);
}

export function compareTimes(a: string, b: string): -1 | 0 | 1 {
  const [left, right] = [parseTime(a), parseTime(b)];
  const difference = left.ms - right.ms || left.nanos - right.nanos;
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

/** Whether two texts mean the same moment. Equal texts do, and are not parsed. */
export function sameInstant(a: string, b: string): boolean {
  return a === b || compareTimes(a, b) === 0;
}

/** The seconds from `from` to `to`; negative if `to` is earlier. */
export function secondsBetween(from: string, to: string): number {
  const [start, end] = [parseTime(from), parseTime(to)];
  return (end.ms - start.ms) / 1000 + (end.nanos - start.nanos) / 1_000_000_000;
}

function hourLength(text: string): 1 | 2 {
  return text.charCodeAt(12) === COLON ? 1 : 2;
}

/** The seconds from 1970 to the start of the day, or NaN. */
function readDate(text: string): number {
  const year = readDigits(text, 0, 4);
  const month = readDigits(text, 5, 2);
  const day = readDigits(text, 8, 2);
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS) return Number.NaN;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const daysInMonth = month === 2 && isLeap ? 29 : (MONTH_DAYS[month] ?? 0);
  if (!(day >= 1 && day <= daysInMonth)) return Number.NaN;

  // The days before this year, counted from year 0, which was a leap year.
  const last = year - 1;
  const leaps = Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400) + 1;
  const leapDay = isLeap && month > 2 ? 1 : 0;
  const dayOfYear = (DAYS_BEFORE_MONTH[month] ?? 0) + leapDay + day - 1;
  return (year * 365 + leaps + dayOfYear - DAYS_BEFORE_1970) * SECONDS_PER_DAY;
}

/** The seconds since the start of the day, or NaN. */
function readClock(text: string, start: number, shift: number): number {
  const hour = readDigits(text, start, 2 + shift);
  const minute = readDigits(text, start + 3 + shift, 2);
  const second = readDigits(text, start + 6 + shift, 2);
  const isSeparated =
    text.charCodeAt(start - 1) === T &&
    text.charCodeAt(start + 2 + shift) === COLON &&
    text.charCodeAt(start + 5 + shift) === COLON;
  if (!isSeparated || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  return hour * 3600 + minute * 60 + second;
}

/** The seconds by which the zone is ahead of UTC, or NaN if no zone ends the text here. */
function readOffset(text: string, start: number): number {
  const sign = text.charCodeAt(start);
  if (sign === Z) return text.length === start + 1 ? 0 : Number.NaN;
  const hour = readDigits(text, start + 1, 2);
  const minute = readDigits(text, start + 4, 2);
  const isWhole = text.length === start + 6 && text.charCodeAt(start + 3) === COLON;
  if (!isWhole || hour > 24 || minute > 60) return Number.NaN;
  if (sign !== PLUS && sign !== MINUS) return Number.NaN;
  return (hour * 3600 + minute * 60) * (sign === PLUS ? 1 : -1);
}

function isFraction(text: string, index: number): boolean {
  const mark = text.charCodeAt(index);
  return (mark === POINT || mark === COMMA) && isDigit(text.charCodeAt(index + 1));
}

function readDigits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const code = text.charCodeAt(index);
    if (!isDigit(code)) return Number.NaN;
    value = value * 10 + code - 48;
  }
  return value;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function formatSeconds(ms: number): string {
  if (!(ms >= MS_MIN && ms < MS_MAX + 1)) throw timeInvalid({ kind: 'time', text: `${ms} ms` });
  const second = Math.floor(ms / 1000);
  // Most printed times are the current second, so its text is cached.
  if (second !== printed.second) {
    printed = { second, text: new Date(second * 1000).toISOString().slice(0, 19) };
  }
  return printed.text;
}

let printed = { second: Number.NaN, text: '' };
/** The last text that was found to be in whole seconds of UTC. Undefined: none yet. */
let whole: string | undefined;
