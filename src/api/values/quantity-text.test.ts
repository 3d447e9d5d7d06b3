import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import {
  addQuantities,
  compareQuantities,
  multiplyQuantity,
  quantityFromInteger,
} from './quantity.ts';
import { formatQuantity, parseQuantity, readQuantity } from './quantity-text.ts';

const canonical = (text: string): string => formatQuantity(parseQuantity(text));

const invalid = (reason: string): unknown =>
  expect.objectContaining({ code: 'QUANTITY_INVALID', message: expect.stringContaining(reason) });

describe('the canonical form (Q-1)', () => {
  test.each([
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['1.500', '1500m'],
    ['1000m', '1'],
    ['+7M', '7M'],
    ['1.5M', '1500k'],
    ['.25E', '250P'],
    ['5.', '5'],
    ['007', '7'],
    ['12e6', '12e6'],
    ['-100E6', '-100e6'],
    ['1E+3', '1e3'],
    ['100e-3', '100e-3'],
    ['1000e18', '1e21'],
    ['10e0', '10'],
    ['1024Pi', '1Ei'],
    ['1.5Gi', '1536Mi'],
    ['.25Mi', '256Ki'],
    ['1025Ki', '1025Ki'],
  ])('%s is written %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test('zero is 0 in every format and with every sign', () => {
    for (const text of ['0', '-0', '+0.000', '0k', '-0Ki', '0.0Ei', '0e3', '0e2147483647']) {
      expect(canonical(text)).toBe('0');
    }
  });

  test('a binary amount that is not an integer, or is below 1024, is written in decimal', () => {
    expect(canonical('0.001Ei')).toBe('1152921504606846976m');
    expect(canonical('1.0001Ki')).toBe('1024102400u');
    expect(canonical('0.5Ki')).toBe('512');
    expect(canonical('0.9765625Ki')).toBe('1k');
    expect(formatQuantity(quantityFromInteger(-1000, 'BinarySI'))).toBe('-1k');
  });

  test('less than one of something loses its binary format for good', () => {
    const crumb = parseQuantity('0.0001Ki');
    expect(crumb.format).toBe('DecimalSI');
    expect(formatQuantity(addQuantities(crumb, parseQuantity('2Ki')))).toBe('2048102400u');
  });

  test('beyond the largest suffix the number grows, and nothing is lost', () => {
    expect(canonical('1000E')).toBe('1000E');
    expect(canonical('1000000E')).toBe('1000000E');
    expect(formatQuantity(multiplyQuantity(parseQuantity('4Ei'), 4096))).toBe('16384Ei');
  });
});

describe('precision and limits (Q-2)', () => {
  test('what is finer than a billionth rounds away from zero', () => {
    expect(canonical('1.2345678901')).toBe('1234567891n');
    expect(canonical('-1.2345678901')).toBe('-1234567891n');
    expect(canonical('.25n')).toBe('1n');
    expect(canonical('1e-12')).toBe('1e-9');
    expect(canonical('0.0000000001Ki')).toBe('103n');
  });

  test('binary amounts stop at 63 bits, decimal ones do not', () => {
    expect(canonical('8Ei')).toBe('9223372036854775807');
    expect(canonical('-999999Ei')).toBe('-9223372036854775807');
    expect(canonical(`${'9'.repeat(40)}Ki`)).toBe('9223372036854775807');
    expect(canonical('9'.repeat(40))).toBe('9'.repeat(40));
    expect(canonical('999999E')).toBe('999999E');
  });

  test('a long text or a huge exponent is answered immediately', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(canonical(`${zeros}7`)).toBe('7');
    expect(canonical(`0.${zeros}7`)).toBe('1n');
    expect(canonical(`-0.${zeros}7Ei`)).toBe('-1n');
    expect(canonical(`1.${zeros}e3`)).toBe('1e3');
    expect(canonical(`0.${zeros}7e1000004`)).toBe('7e3');
    expect(canonical('5e-2147483647')).toBe('1e-9');
    expect(canonical('9'.repeat(1000))).toBe('9'.repeat(1000));
    for (const text of ['1e1000', '1e2147483647', '9'.repeat(1001), '9'.repeat(1_000_000)]) {
      expect(() => parseQuantity(text)).toThrow(invalid('more than 1000 digits'));
    }
  });

  test('an exponent that Kubernetes would wrap around is refused', () => {
    expect(() => parseQuantity('1e4294967297')).toThrow(invalid("quantity's suffix"));
    expect(() => parseQuantity('1e-9999999999999999999999')).toThrow(invalid("quantity's suffix"));
  });
});

describe('refusals', () => {
  test.each(['1K', '5mi', '1e', '1k3', '1ee3', '1Kie', '3e+', '1i'])(
    '%s has an unknown suffix',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(invalid("unable to parse quantity's suffix"));
    },
  );

  test.each(['', ' ', '1 ', ' 1', '1x', '1.5.5', 'k', '+', '-Mi', 'e3', '--1', '1e3.5', '1,5'])(
    '"%s" does not have the form of a quantity',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(invalid('quantities must match'));
    },
  );

  test('a point needs a digit on one of its sides', () => {
    for (const text of ['.', '-.', '.k', '+.Ei']) {
      expect(() => parseQuantity(text)).toThrow(invalid('numeric part'));
    }
  });

  test('names of the prototype are no suffixes', () => {
    for (const text of ['1constructor', '1__proto__', '1toString']) {
      expect(() => parseQuantity(text)).toThrow(invalid('quantities must match'));
    }
  });

  test('the error shows the text, cut short if it is long, and how to write it', () => {
    const long = `1${'x'.repeat(500)}`;
    expect(() => parseQuantity('1K')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('"1K"'), retry: 'never' }),
    );
    expect(() => parseQuantity(long)).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining('x'.repeat(100)),
        hint: expect.stringContaining('Ki'),
      }),
    );
  });
});

test('in JSON a number stands for its text, and blanks are ignored', () => {
  expect(formatQuantity(readQuantity(2))).toBe('2');
  expect(formatQuantity(readQuantity(0.5))).toBe('500m');
  expect(formatQuantity(readQuantity(1e21))).toBe('1e21');
  expect(formatQuantity(readQuantity(' 1Gi\n'))).toBe('1Gi');
  expect(() => readQuantity(Number.NaN)).toThrow(invalid('quantities must match'));
});

/** An exact fraction: an independent implementation without billionths and cut digits. */
interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
}

const POWERS: Readonly<Record<string, Rational>> = {
  n: { top: 1n, bottom: 10n ** 9n },
  u: { top: 1n, bottom: 10n ** 6n },
  m: { top: 1n, bottom: 1000n },
  '': { top: 1n, bottom: 1n },
  k: { top: 1000n, bottom: 1n },
  M: { top: 10n ** 6n, bottom: 1n },
  G: { top: 10n ** 9n, bottom: 1n },
  T: { top: 10n ** 12n, bottom: 1n },
  P: { top: 10n ** 15n, bottom: 1n },
  E: { top: 10n ** 18n, bottom: 1n },
  Ki: { top: 1n << 10n, bottom: 1n },
  Mi: { top: 1n << 20n, bottom: 1n },
  Gi: { top: 1n << 30n, bottom: 1n },
  Ti: { top: 1n << 40n, bottom: 1n },
  Pi: { top: 1n << 50n, bottom: 1n },
  Ei: { top: 1n << 60n, bottom: 1n },
  e7: { top: 10n ** 7n, bottom: 1n },
  'E-4': { top: 1n, bottom: 10n ** 4n },
};

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), maxLength: 24 });

const written = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    integer: digits,
    fraction: fc.option(digits),
    suffix: fc.constantFrom(...Object.keys(POWERS)),
  })
  .filter(({ integer, fraction }) => integer !== '' || (fraction ?? '') !== '')
  .map(writtenQuantity);

interface QuantityParts {
  readonly sign: string;
  readonly integer: string;
  /** Null: there is no decimal point. */
  readonly fraction: string | null;
  readonly suffix: string;
}

function writtenQuantity({ sign, integer, fraction, suffix }: QuantityParts) {
  const power = POWERS[suffix] ?? { top: 1n, bottom: 1n };
  const size = BigInt(integer + (fraction ?? '')) * power.top;
  const exact: Rational = {
    top: sign === '-' ? -size : size,
    bottom: power.bottom * 10n ** BigInt(fraction?.length ?? 0),
  };
  const text = sign + integer + (fraction === null ? '' : `.${fraction}`) + suffix;
  return { text, suffix, exact: capped(suffix, roundedToNano(exact)) };
}

function roundedToNano({ top, bottom }: Rational): Rational {
  const size = top < 0n ? -top : top;
  const nanos = (size * 10n ** 9n + bottom - 1n) / bottom;
  return { top: top < 0n ? -nanos : nanos, bottom: 10n ** 9n };
}

function capped(suffix: string, rational: Rational): Rational {
  const limit = (2n ** 63n - 1n) * rational.bottom;
  if (!suffix.endsWith('i')) return rational;
  const top = rational.top > limit ? limit : rational.top < -limit ? -limit : rational.top;
  return { ...rational, top };
}

function compareRationals(a: Rational, b: Rational): number {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** What may follow the number: a binary amount may have to fall back to decimal. */
function familyOf(suffix: string, isInteger: boolean): RegExp {
  if (/^[eE]-?\d/.test(suffix)) return /^(e-?\d+)?$/;
  if (!suffix.endsWith('i')) return /^[numkMGTPE]?$/;
  return isInteger ? /^([KMGTPE]i|[kMGTPE])?$/ : /^[num]$/;
}

const BYTES_WITHOUT_SUFFIX = writtenQuantity({
  sign: '',
  integer: '312',
  fraction: '5',
  suffix: 'Ki',
});

/**
 * From 1024 on, bytes that are no multiple of 1024 are printed in full, as Go prints them: 312.5Ki is 320000.
 * Without the suffix the next reader takes them for a decimal amount, 320k.
 */
function losesBinarySuffix(suffix: string, text: string): boolean {
  return suffix.endsWith('i') && /^-?\d{4,}$/.test(text) && BigInt(text.replace('-', '')) >= 1024n;
}

function refusalOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof PodkeepError ? error.code : `not our error: ${String(error)}`;
  }
}

describe('laws', () => {
  test('order and sums agree with exact fractions', () => {
    fc.assert(
      fc.property(written, written, (a, b) => {
        const [left, right] = [parseQuantity(a.text), parseQuantity(b.text)];
        expect(compareQuantities(left, right)).toBe(compareRationals(a.exact, b.exact));
        const sum = { top: addQuantities(left, right).nanos, bottom: 10n ** 9n };
        const exact = { top: a.exact.top + b.exact.top, bottom: 10n ** 9n };
        expect(compareRationals(sum, exact)).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  test('the canonical text reads back as the same amount and is its own canonical text', () => {
    fc.assert(
      fc.property(written, ({ text, suffix, exact }) => {
        const again = canonical(text);
        const read = parseQuantity(again);
        expect(compareRationals({ top: read.nanos, bottom: 10n ** 9n }, exact)).toBe(0);
        expect(losesBinarySuffix(suffix, again) || formatQuantity(read) === again).toBe(true);
      }),
      { numRuns: 1000, examples: [[BYTES_WITHOUT_SUFFIX]] },
    );
  });

  test('the canonical text stays in its family, and its number cannot be shortened', () => {
    fc.assert(
      fc.property(written, ({ text, suffix, exact }) => {
        const [, number = '', family = ''] = /^-?(\d+)(.*)$/.exec(canonical(text)) ?? [];
        expect(family).toMatch(familyOf(suffix, exact.top % exact.bottom === 0n));
        const isBinary = family.endsWith('i') || losesBinarySuffix(suffix, number + family);
        const isLargest = family === 'E' || family === 'Ei';
        const step = isBinary ? 1024n : 1000n;
        expect(number === '0' || isLargest || BigInt(number) % step !== 0n).toBe(true);
      }),
      { numRuns: 1000, examples: [[BYTES_WITHOUT_SUFFIX]] },
    );
  });

  test('any text is either read or refused with our error', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...'0129.+-eEinumkKMGTP x'.split('')),
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.oneof(noise, fc.string()), (text) => {
        const code = refusalOf(() => canonical(text));
        expect(['QUANTITY_INVALID', undefined]).toContain(code);
      }),
      { numRuns: 2000 },
    );
  });
});
