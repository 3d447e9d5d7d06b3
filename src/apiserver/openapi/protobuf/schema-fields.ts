/** The numbers of what both versions say about values; each has its own. */
import { double, flag, integer, repeated, text, writeText } from './field-writers.ts';
import type { Field, WriteField } from './field-writers.ts';

export const texts: WriteField = repeated(writeText);

/**
 * The rules for values stand one after the other in every message that has them, beginning with
 * `maximum` at the given number.
 */
export function valueRules(maximum: number): Readonly<Record<string, Field>> {
  return {
    maximum: [maximum, double],
    exclusiveMaximum: [maximum + 1, flag],
    minimum: [maximum + 2, double],
    exclusiveMinimum: [maximum + 3, flag],
    maxLength: [maximum + 4, integer],
    minLength: [maximum + 5, integer],
    pattern: [maximum + 6, text],
    maxItems: [maximum + 7, integer],
    minItems: [maximum + 8, integer],
    uniqueItems: [maximum + 9, flag],
  };
}
