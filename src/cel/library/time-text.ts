/** Parses and prints timestamps, durations and doubles as CEL does. */
import { Duration, Timestamp } from '../value.ts';

const NANOS = 1_000_000_000n;
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})\d*)?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** RFC 3339; undefined: not a timestamp. */
export function readTimestamp(text: string): Timestamp | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isReal) return undefined;
  const fraction = BigInt((match[7] ?? '').padEnd(9, '0'));
  const offsetMinutes = Number(match[10] ?? 0) * 60 + Number(match[11] ?? 0);
  const offset = BigInt(match[9] === '-' ? -offsetMinutes : offsetMinutes) * 60n * NANOS;
  return new Timestamp(BigInt(date.getTime()) * 1_000_000n + fraction - offset);
}

export function printTimestamp({ nanos }: Timestamp): string {
  const seconds = floorDivide(nanos, NANOS);
  const fraction = nanos - seconds * NANOS;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${fractionText(fraction)}Z`;
}

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', NANOS],
  ['m', 60n * NANOS],
  ['h', 3600n * NANOS],
]);

/** Go's syntax: `1h30m`, `-1.5s`; undefined: not a duration. */
export function readDuration(text: string): Duration | undefined {
  const match = /^([-+]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.exec(text);
  if (text === '0' || text === '+0' || text === '-0') return new Duration(0n);
  if (!match) return undefined;
  let nanos = 0n;
  for (const [, number = '', unit = ''] of text.matchAll(/(\d*\.?\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = number.split('.');
    const size = UNITS.get(unit) ?? 0n;
    nanos += BigInt(whole || '0') * size;
    nanos += (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  return new Duration(match[1] === '-' ? -nanos : nanos);
}

/** Prints the duration in seconds. */
export function printDuration({ nanos }: Duration): string {
  const isNegative = nanos < 0n;
  const size = isNegative ? -nanos : nanos;
  return `${isNegative ? '-' : ''}${size / NANOS}${fractionText(size % NANOS)}s`;
}

function fractionText(nanos: bigint): string {
  if (nanos === 0n) return '';
  return `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n ? quotient - 1n : quotient;
}

/** Prints a double as Go does. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
}
