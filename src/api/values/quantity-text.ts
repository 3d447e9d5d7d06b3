/**
 * Parses and prints quantities: `250m`, `1.5Gi`, `12e6`.
 *
 * Parsing never uses a floating-point number. Digits beyond billionths are cut off; if one of them is not
 * zero, the amount is rounded away from zero, so that a small request is never zero. Only the digits
 * that are kept become a bigint: a text of a million digits or an exponent of a billion costs one pass over
 * its characters.
 *
 * Printing gives the canonical form: the largest suffix of the format that leaves no fraction. Two
 * behaviours of Kubernetes are bugs that we do not repeat: beyond E and Ei it drops the suffix (1000E becomes
 * 1), and an exponent beyond 32 bits wraps around.
 */
import { defineError } from '../../lib/errors.ts';
import { divideAwayFromZero } from './quantity.ts';
import type { Quantity, QuantityFormat } from './quantity.ts';

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** An unsigned number as written: its digits without leading zeros, and the position of the point. */
interface Digits {
  readonly digits: string;
  readonly point: number;
}

export const quantityInvalid = defineError<{ text: string; reason: string }>({
  code: 'QUANTITY_INVALID',
  retry: 'never',
  message: ({ text, reason }) =>
    `quantity ${JSON.stringify(text.slice(0, 80))} is not valid: ${reason}`,
  hint: () =>
    'Write a number with one of the suffixes n u m k M G T P E (powers of 1000), ' +
    'Ki Mi Gi Ti Pi Ei (powers of 1024) or an exponent such as e3: 250m, 1.5Gi, 12e6.',
});

const FORMAT_WRONG =
  'quantities must match the regular expression ' +
  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_WRONG = "unable to parse quantity's suffix";
const NUMBER_WRONG = 'unable to parse numeric part of quantity';
const TOO_LARGE = 'it has more than 1000 digits before the point';

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const NANO_DIGITS = 9;
const NANOS_PER_UNIT = 1_000_000_000n;

/** More than any real amount. Without a limit, `1e999999999` would take all memory. */
const INTEGER_DIGITS_MAX = 1000;
const EXPONENT_MAX = 2 ** 31 - 1;
const SUFFIX_LENGTH_MAX = 40;

/** The largest signed 64-bit integer; binary amounts stop there. */
const BINARY_NANOS_MAX = (2n ** 63n - 1n) * NANOS_PER_UNIT;
const BINARY_DIGITS_MAX = 19;

/** With nine digits for the nanos and one for each halving, a cut cannot hide a whole nano. */
const BINARY_FRACTION_DIGITS = NANO_DIGITS + 60;
const BINARY_FRACTION_SCALE = 10n ** 60n;

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...DECIMAL_SUFFIXES.map((text, index): [string, Suffix] => [
    text,
    { base: 10, exponent: 3 * index - NANO_DIGITS, format: 'DecimalSI' },
  ]),
  ...BINARY_SUFFIXES.slice(1).map((text, index): [string, Suffix] => [
    text,
    { base: 2, exponent: 10 * (index + 1), format: 'BinarySI' },
  ]),
]);

export function parseQuantity(text: string): Quantity {
  const sign = text[0] === '-' || text[0] === '+' ? 1 : 0;
  const integerEnd = skipDigits(text, sign);
  const hasPoint = text[integerEnd] === '.';
  const fractionEnd = hasPoint ? skipDigits(text, integerEnd + 1) : integerEnd;
  if (fractionEnd - sign === (hasPoint ? 1 : 0)) {
    throw quantityInvalid({ text, reason: hasPoint ? NUMBER_WRONG : FORMAT_WRONG });
  }
  const suffix = readSuffix(text, text.slice(fractionEnd));

  const integer = text.slice(skipZeros(text, sign, integerEnd), integerEnd);
  const fraction = hasPoint ? text.slice(integerEnd + 1, fractionEnd) : '';
  const number = { digits: integer + fraction, point: integer.length };
  const size = suffix.base === 2 ? readBinary(number, suffix) : readDecimal(text, number, suffix);
  return text[0] === '-' ? { ...size, nanos: -size.nanos } : size;
}

/** In JSON a quantity may be a number; blanks around a text are ignored. */
export function readQuantity(value: string | number): Quantity {
  return parseQuantity(String(value).trim());
}

/** The canonical text: equal amounts in the same format have the same text. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (format === 'BinarySI' && size >= 1024n * NANOS_PER_UNIT && size % NANOS_PER_UNIT === 0n) {
    return sign + formatBinary(size / NANOS_PER_UNIT);
  }
  return sign + formatDecimal(size.toString(), format);
}

function readSuffix(text: string, suffix: string): Suffix {
  const known = SUFFIXES.get(suffix);
  if (known) return known;
  if (suffix.length > SUFFIX_LENGTH_MAX || !/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix)) {
    throw quantityInvalid({ text, reason: FORMAT_WRONG });
  }
  const exponent = /^[eE][-+]?\d+$/.test(suffix) ? Number(suffix.slice(1)) : Number.NaN;
  if (Math.abs(exponent) <= EXPONENT_MAX) return { base: 10, exponent, format: 'DecimalExponent' };
  throw quantityInvalid({ text, reason: SUFFIX_WRONG });
}

function readDecimal(text: string, number: Digits, { exponent, format }: Suffix): Quantity {
  const point = number.point + exponent;
  // A number that starts behind the point may still be small: 0.0001e1003.
  const leading = number.point > 0 ? 0 : skipZeros(number.digits, 0, number.digits.length);
  if (leading === number.digits.length) return { nanos: 0n, format };
  if (point - leading > INTEGER_DIGITS_MAX) throw quantityInvalid({ text, reason: TOO_LARGE });
  return { nanos: cutAwayFromZero(number.digits, point + NANO_DIGITS), format };
}

function readBinary({ digits, point }: Digits, { exponent, format }: Suffix): Quantity {
  if (point > BINARY_DIGITS_MAX) return { nanos: BINARY_NANOS_MAX, format };
  const shift = BigInt(exponent);
  const nanos =
    point === digits.length
      ? (BigInt(digits) << shift) * NANOS_PER_UNIT
      : divideAwayFromZero(
          cutAwayFromZero(digits, point + BINARY_FRACTION_DIGITS) << shift,
          BINARY_FRACTION_SCALE,
        );
  if (nanos > BINARY_NANOS_MAX) return { nanos: BINARY_NANOS_MAX, format };
  // Less than one unit has no binary suffix.
  return { nanos, format: nanos > 0n && nanos < NANOS_PER_UNIT ? 'DecimalSI' : format };
}

/** The integer of the first `count` digits, one more if a digit other than zero was cut off. */
function cutAwayFromZero(digits: string, count: number): bigint {
  if (count >= digits.length) return BigInt(digits.padEnd(count, '0'));
  const kept = BigInt(digits.slice(0, Math.max(count, 0)));
  return /[1-9]/.test(digits.slice(Math.max(count, 0))) ? kept + 1n : kept;
}

function formatBinary(units: bigint): string {
  let power = 0;
  let rest = units;
  while (power < BINARY_SUFFIXES.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power += 1;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nanos: string, format: QuantityFormat): string {
  let zeros = 0;
  while (nanos[nanos.length - 1 - zeros] === '0') zeros += 1;
  if (format === 'DecimalExponent') {
    const dropped = zeros - (zeros % 3);
    const exponent = dropped - NANO_DIGITS;
    return nanos.slice(0, nanos.length - dropped) + (exponent === 0 ? '' : `e${exponent}`);
  }
  const power = Math.min(Math.floor(zeros / 3), DECIMAL_SUFFIXES.length - 1);
  return `${nanos.slice(0, nanos.length - 3 * power)}${DECIMAL_SUFFIXES[power]}`;
}

function skipDigits(text: string, from: number): number {
  let index = from;
  while (isDigit(text.charCodeAt(index))) index += 1;
  return index;
}

function skipZeros(text: string, from: number, end: number): number {
  let index = from;
  while (index < end && text[index] === '0') index += 1;
  return index;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
