/**
 * Creates field errors, with one function for each type of FieldError.
 *
 * Validators are generators: they yield one error after the other, in the order in which kube-apiserver lists
 * them, and may return early as it does.
 */
import type { FieldError } from './field-error.ts';

export type FieldErrors = Generator<FieldError, void>;

export function required(field: string, detail = ''): FieldError {
  return { type: 'Required', field, detail };
}

export function invalidField(field: string, value: unknown, detail: string): FieldError {
  return { type: 'Invalid', field, value, detail };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { type: 'Forbidden', field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: 'Duplicate', field, value, detail: '' };
}

export function notFoundField(field: string, value: unknown, detail = ''): FieldError {
  return { type: 'NotFound', field, value, detail };
}

export function unsupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const quoted = supported.map((one) => JSON.stringify(one)).join(', ');
  return { type: 'NotSupported', field, value, detail: `supported values: ${quoted}` };
}

export function tooLong(field: string, bytesMax: number): FieldError {
  return { type: 'TooLong', field, detail: `may not be more than ${bytesMax} bytes` };
}

export function tooMany(field: string, count: number, countMax: number | bigint): FieldError {
  return {
    type: 'TooMany',
    field,
    value: count,
    detail: `must have at most ${countMax} items`,
  };
}

/** One error for each message about the value. */
export function* invalidFor(
  field: string,
  value: unknown,
  sentences: readonly string[],
): FieldErrors {
  for (const sentence of sentences) yield invalidField(field, value, sentence);
}

/** A value that must be one of a few: an empty one is missing, any other is unsupported. */
export function* requireOneOf(
  field: string,
  value: string,
  supported: readonly string[],
): FieldErrors {
  if (value === '') yield required(field);
  else if (!supported.includes(value)) yield unsupported(field, value, supported);
}
