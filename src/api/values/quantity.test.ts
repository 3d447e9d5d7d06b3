import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  negateQuantity,
  quantityFromInteger,
  quantityFromMilli,
  quantityMilliValue,
  quantityValue,
  signOfQuantity,
  subtractQuantities,
  ZERO_QUANTITY,
} from './quantity.ts';
import type { Quantity } from './quantity.ts';
import { formatQuantity, parseQuantity } from './quantity-text.ts';

const show = (quantity: Quantity): string => formatQuantity(quantity);

const size = (n: bigint): bigint => (n < 0n ? -n : n);

describe('values', () => {
  test('half of something is one of it, above and below zero (Q-3)', () => {
    expect(quantityValue(parseQuantity('1.5'))).toBe(2n);
    expect(quantityValue(parseQuantity('-1.5'))).toBe(-2n);
    expect(quantityValue(parseQuantity('1n'))).toBe(1n);
    expect(quantityValue(parseQuantity('2Gi'))).toBe(2n ** 31n);
  });

  test('thousandths round away from zero too', () => {
    expect(quantityMilliValue(parseQuantity('250m'))).toBe(250n);
    expect(quantityMilliValue(parseQuantity('1u'))).toBe(1n);
    expect(quantityMilliValue(parseQuantity('-1.0001'))).toBe(-1001n);
  });

  test('values beyond 64 bits are exact, not overflowed (Q-3)', () => {
    expect(quantityValue(parseQuantity('999999E'))).toBe(999_999n * 10n ** 18n);
    expect(quantityMilliValue(parseQuantity('-9E'))).toBe(-9n * 10n ** 21n);
  });

  test('amounts can be made from integers and thousandths, in a format', () => {
    expect(show(quantityFromInteger(1536n * 2n ** 20n, 'BinarySI'))).toBe('1536Mi');
    expect(show(quantityFromInteger(3000))).toBe('3k');
    expect(show(quantityFromInteger(3000, 'DecimalExponent'))).toBe('3e3');
    expect(show(quantityFromMilli(1500))).toBe('1500m');
    expect(show(quantityFromMilli(-2000n))).toBe('-2');
  });

  test('a number that is no integer is a bug', () => {
    expect(() => quantityFromInteger(1.5)).toThrow('1.5 is not an integer');
    expect(() => quantityFromMilli(2 ** 53)).toThrow('is not an integer');
    expect(() => multiplyQuantity(ZERO_QUANTITY, Number.NaN)).toThrow('is not an integer');
  });
});

describe('formats', () => {
  test('a sum or difference keeps the format of the first amount', () => {
    expect(show(addQuantities(parseQuantity('1Gi'), parseQuantity('512Mi')))).toBe('1536Mi');
    expect(show(addQuantities(parseQuantity('1Gi'), parseQuantity('1M')))).toBe('1074741824');
    expect(show(subtractQuantities(parseQuantity('1k'), parseQuantity('1Ki')))).toBe('-24');
  });

  test('a zero takes the format of the other amount', () => {
    expect(show(addQuantities(ZERO_QUANTITY, parseQuantity('2Ki')))).toBe('2Ki');
    expect(show(subtractQuantities(ZERO_QUANTITY, parseQuantity('2Ki')))).toBe('-2Ki');
    expect(show(addQuantities(parseQuantity('0Ki'), parseQuantity('2000')))).toBe('2k');
  });

  test('amounts are compared by size, whatever their format', () => {
    expect(compareQuantities(parseQuantity('1Ki'), parseQuantity('1024'))).toBe(0);
    expect(compareQuantities(parseQuantity('1k'), parseQuantity('1Ki'))).toBe(-1);
    expect(compareQuantities(parseQuantity('1m'), parseQuantity('999u'))).toBe(1);
  });
});

describe('sharing', () => {
  const quantity = parseQuantity('5Mi');

  test('an operation that changes nothing returns the same object', () => {
    expect(addQuantities(quantity, ZERO_QUANTITY)).toBe(quantity);
    expect(addQuantities(ZERO_QUANTITY, quantity)).toBe(quantity);
    expect(subtractQuantities(quantity, ZERO_QUANTITY)).toBe(quantity);
    expect(multiplyQuantity(quantity, 1)).toBe(quantity);
    expect(negateQuantity(ZERO_QUANTITY)).toBe(ZERO_QUANTITY);
  });
});

describe('laws', () => {
  const amounts = fc
    .record({
      nanos: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      format: fc.constantFrom('DecimalSI', 'BinarySI', 'DecimalExponent'),
    })
    .map((amount): Quantity => amount);

  test('adding and subtracting undo each other', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const back = subtractQuantities(addQuantities(a, b), b);
        expect(compareQuantities(back, a)).toBe(0);
        expect(isZeroQuantity(addQuantities(a, negateQuantity(a)))).toBe(true);
      }),
    );
  });

  test('the order is total and agrees with the sign of the difference', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        const order = compareQuantities(a, b);
        expect(order + compareQuantities(b, a)).toBe(0);
        expect(signOfQuantity(subtractQuantities(a, b))).toBe(order);
      }),
    );
  });

  test('multiplying is adding over and over', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 20 }), (amount, times) => {
        let sum = 0n;
        for (let index = 0; index < times; index++) sum += amount.nanos;
        expect(multiplyQuantity(amount, times).nanos).toBe(sum);
        expect(multiplyQuantity(amount, BigInt(-times)).nanos).toBe(-sum);
      }),
    );
  });

  test('a value is the nearest integer that is not closer to zero', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const over = size(quantityValue(amount)) * 10n ** 9n - size(amount.nanos);
        expect(over >= 0n && over < 10n ** 9n).toBe(true);
        const milliOver = size(quantityMilliValue(amount)) * 10n ** 6n - size(amount.nanos);
        expect(milliOver >= 0n && milliOver < 10n ** 6n).toBe(true);
      }),
    );
  });
});
