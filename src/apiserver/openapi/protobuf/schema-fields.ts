/** The protobuf fields of value constraints, which both OpenAPI versions have with different numbers. */
import { doubleField, flag, integer, repeated, textField, writeText } from './field-writers.ts';
import type { Field, WriteField } from './field-writers.ts';

export const texts: WriteField = repeated(writeText);

/**
 * The constraints have consecutive numbers in every message, beginning with `maximum` at the given number.
 */
export function valueRules(maximum: number): Readonly<Record<string, Field>> {
  return {
    maximum: [maximum, doubleField],
    exclusiveMaximum: [maximum + 1, flag],
    minimum: [maximum + 2, doubleField],
    exclusiveMinimum: [maximum + 3, flag],
    maxLength: [maximum + 4, integer],
    minLength: [maximum + 5, integer],
    pattern: [maximum + 6, textField],
    maxItems: [maximum + 7, integer],
    minItems: [maximum + 8, integer],
    uniqueItems: [maximum + 9, flag],
  };
}
