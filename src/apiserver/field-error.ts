/**
 * What is wrong with a field, in the words of the API's conventions.
 *
 * The reason is for programs, the message for people; both are the ones that kube-apiserver gives,
 * because tools match on them.
 */

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

const WORDS: Readonly<Record<FieldErrorType, readonly [reason: string, sentence: string]>> = {
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

export function reasonOf({ type }: FieldError): string {
  return WORDS[type][0];
}

/** What is longer is no help to the reader. */
const VALUE_CHARS_MAX = 16 * 1024;

function printValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}...` : text;
}

/** `Invalid value: "x": must be …` */
export function messageOf({ type, value, detail }: FieldError): string {
  const [, sentence] = WORDS[type];
  const hasValue = value !== undefined && !WITHOUT_VALUE.has(type);
  const shown = hasValue ? `${sentence}: ${printValue(value)}` : sentence;
  return detail ? `${shown}: ${detail}` : shown;
}
