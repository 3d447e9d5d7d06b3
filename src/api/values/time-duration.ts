/**
 * Parses and prints Go durations: `1h30m0s`, `1m20s`, `100ms`.
 *
 * KubeletConfiguration has them, and the kubelet prints them in messages (back-off 2m40s). Inside podkeep a
 * duration is a number of milliseconds, with a fraction if it is finer. Conversion goes through whole
 * nanoseconds in a bigint, because sums of decimal fractions drift in floating point: 1.1s is 1100 ms here,
 * never 1100.0000000000002.
 */
import { assert } from '../../lib/assert.ts';
import { timeInvalid } from './time.ts';

const MICROSECOND = 1000n;
const MILLISECOND = 1_000_000n;
const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

/** Both signs for micro are in use: U+00B5, which Go prints, and the Greek letter U+03BC. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', MICROSECOND],
  ['\u00B5s', MICROSECOND],
  ['\u03BCs', MICROSECOND],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

/** The longest duration in Go, about 292 years. */
const NANOS_MAX = 2n ** 63n - 1n;
const INTEGER_DIGITS_MAX = 19;

/** An hour has fewer than 10^13 nanoseconds: digits beyond these cannot add up to one. */
const FRACTION_DIGITS_MAX = 18;

/** Below one second in the largest unit that leaves an integer part; from one second on in h, m and s. */
export function formatGoDuration(ms: number): string {
  assert(Number.isFinite(ms), `a duration of ${ms} ms`);
  const size = Math.abs(ms);
  const nanos =
    BigInt(Math.trunc(size)) * MILLISECOND + BigInt(Math.round((size % 1) * Number(MILLISECOND)));
  if (nanos === 0n) return '0s';
  return (ms < 0 ? '-' : '') + formatNanos(nanos);
}

/** Parses `300ms`, `1h30m`, `-1.5h` or `0`, and returns milliseconds. */
export function parseGoDuration(text: string): number {
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  let nanos = 0n;
  let index = 0;
  do {
    const term = readTerm(unsigned, index);
    if (!term) throw timeInvalid({ kind: 'duration', text });
    nanos += term.nanos;
    index = term.end;
  } while (index < unsigned.length);
  const isNegative = text.startsWith('-');
  if (nanos > (isNegative ? NANOS_MAX + 1n : NANOS_MAX)) {
    throw timeInvalid({ kind: 'duration', text });
  }
  const ms = Number(nanos / MILLISECOND) + Number(nanos % MILLISECOND) / Number(MILLISECOND);
  return isNegative ? 0 - ms : ms;
}

function formatNanos(nanos: bigint): string {
  if (nanos < MICROSECOND) return `${nanos}ns`;
  if (nanos < MILLISECOND) return `${formatFraction(nanos, MICROSECOND)}\u00B5s`;
  if (nanos < SECOND) return `${formatFraction(nanos, MILLISECOND)}ms`;
  const seconds = `${formatFraction(nanos % MINUTE, SECOND)}s`;
  if (nanos < MINUTE) return seconds;
  const minutes = `${(nanos % HOUR) / MINUTE}m${seconds}`;
  return nanos < HOUR ? minutes : `${nanos / HOUR}h${minutes}`;
}

/** A number of units, with as many decimals as it takes. The unit is a power of ten. */
function formatFraction(nanos: bigint, unit: bigint): string {
  const places = String(unit).length - 1;
  const decimals = String(nanos % unit)
    .padStart(places, '0')
    .replace(/0+$/, '');
  return decimals === '' ? `${nanos / unit}` : `${nanos / unit}.${decimals}`;
}

/** Reads one number with its unit. Digits finer than a nanosecond are dropped. */
function readTerm(text: string, start: number): { nanos: bigint; end: number } | undefined {
  const pattern = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  pattern.lastIndex = start;
  const [term, integer = '', fraction = '', unitName = ''] = pattern.exec(text) ?? [];
  const unit = UNITS.get(unitName);
  if (term === undefined || unit === undefined || integer + fraction === '') return undefined;

  const whole = integer.replace(/^0+/, '');
  if (whole.length > INTEGER_DIGITS_MAX) return undefined;
  const part = fraction.slice(0, FRACTION_DIGITS_MAX);
  const partNanos = (BigInt(part) * unit) / 10n ** BigInt(part.length);
  return { nanos: BigInt(whole) * unit + partNanos, end: start + term.length };
}
