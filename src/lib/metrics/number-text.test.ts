import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fractionText, numberText } from './number-text.ts';

test.each([
  [0, '0'],
  [-0, '0'],
  [1, '1'],
  [-1, '-1'],
  [0.005, '0.005'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [0.000012345, '1.2345e-05'],
  [999999, '999999'],
  [600000, '600000'],
  [999999.9999999999, '999999.9999999999'],
  [1e6, '1e+06'],
  [1048576, '1.048576e+06'],
  [-893980672, '-8.93980672e+08'],
  [1e21, '1e+21'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
  [298.0232238769531, '298.0232238769531'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
])('%d is written as Go writes it', (value, expected) => {
  expect(numberText(value)).toBe(expected);
});

test.each([
  [0, '0.0'],
  [1, '1.0'],
  [-2, '-2.0'],
  [2.5, '2.5'],
  [1e6, '1e+06'],
  [Infinity, '+Inf'],
])('%d is no count to a reader of OpenMetrics', (value, expected) => {
  expect(fractionText(value)).toBe(expected);
});

test('every finite number can be read back as it was', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(numberText(value))).toBe(value === 0 ? 0 : value);
      expect(Number(fractionText(value))).toBe(value === 0 ? 0 : value);
    }),
  );
});
