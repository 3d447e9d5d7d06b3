/**
 * A validation error of one field, with its reason and message.
 *
 * Reason (for programs) and message (for people) are those of kube-apiserver, because tools match on them.
 */
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export interface FieldError {
  readonly type: FieldErrorType;
  /** Such as `spec.containers[0].image`. */
  readonly field: string;
  /** The value that is wrong; absent where the message shows none. */
  readonly value?: unknown;
  readonly detail: string;
}

export type FieldErrorType =
  | 'Required'
  | 'Invalid'
  | 'NotSupported'
  | 'Forbidden'
  | 'Duplicate'
  | 'NotFound'
  | 'TooLong'
  | 'TooMany'
  | 'TypeInvalid'
  | 'Internal';

const TEXTS: Readonly<Record<FieldErrorType, readonly [reason: string, sentence: string]>> = {
  Required: ['FieldValueRequired', 'Required value'],
  Invalid: ['FieldValueInvalid', 'Invalid value'],
  NotSupported: ['FieldValueNotSupported', 'Unsupported value'],
  Forbidden: ['FieldValueForbidden', 'Forbidden'],
  Duplicate: ['FieldValueDuplicate', 'Duplicate value'],
  NotFound: ['FieldValueNotFound', 'Not found'],
  TooLong: ['FieldValueTooLong', 'Too long'],
  TooMany: ['FieldValueTooMany', 'Too many'],
  TypeInvalid: ['FieldValueTypeInvalid', 'Invalid value'],
  Internal: ['InternalError', 'Internal error'],
};

/** Types whose message shows no value. */
const WITHOUT_VALUE: ReadonlySet<FieldErrorType> = new Set([
  'Required',
  'Forbidden',
  'TooLong',
  'Internal',
]);

export function fieldErrorReason({ type }: FieldError): string {
  return TEXTS[type][0];
}

/** Longer values are cut. */
const VALUE_CHARS_MAX = 16 * 1024;

function printValue(value: unknown): string {
  const text = printExactJson(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}...` : text;
}

/** `Invalid value: "x": must be …` */
export function fieldErrorMessage({ type, value, detail }: FieldError): string {
  const [, sentence] = TEXTS[type];
  const hasValue = value !== undefined && !WITHOUT_VALUE.has(type);
  const shown = hasValue ? `${sentence}: ${printValue(value)}` : sentence;
  return detail ? `${shown}: ${detail}` : shown;
}
