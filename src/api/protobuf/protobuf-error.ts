/** The errors of decoding protobuf, and of encoding objects as protobuf. */
import { defineError } from '../../lib/errors.ts';
import { DEPTH_MAX } from './wire-type.ts';

export const protobufMalformed = defineError<{ reason: string; offset: number }>({
  code: 'PROTOBUF_MALFORMED',
  retry: 'never',
  message: ({ reason, offset }) => `the protobuf is malformed at byte ${offset}: ${reason}`,
  hint: () => 'Send the object as JSON, with "Content-Type: application/json".',
});

export const protobufTooDeep = defineError<undefined>({
  code: 'PROTOBUF_TOO_DEEP',
  retry: 'never',
  message: () => `the object nests deeper than ${DEPTH_MAX} messages`,
  hint: () => 'Flatten the object.',
});

/** An unsigned integer of more than 63 bits, or a number that no double can hold. */
export const integerTooLarge = defineError<{ digits: string }>({
  code: 'PROTOBUF_INTEGER_TOO_LARGE',
  retry: 'never',
  message: ({ digits }) => `the number ${digits} fits neither a 64-bit integer nor a double`,
  hint: () => 'Use an integer of 64 bits, or a number that a double can hold.',
});

export const kindMissing = defineError<{ apiVersion: string; kind: string }>({
  code: 'PROTOBUF_KIND_MISSING',
  retry: 'never',
  message: ({ apiVersion, kind }) =>
    kind === ''
      ? `Object 'Kind' is missing in an object of apiVersion ${JSON.stringify(apiVersion)}`
      : `Object 'apiVersion' is missing in an object of kind ${JSON.stringify(kind)}`,
  hint: () => 'Set apiVersion and kind, such as "apps/v1" and "Deployment".',
});

export const kindUnknown = defineError<{ apiVersion: string; kind: string }>({
  code: 'PROTOBUF_KIND_UNKNOWN',
  retry: 'never',
  message: ({ apiVersion, kind }) =>
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
  hint: () => 'Only built-in kinds have a protobuf form; send custom resources as JSON.',
});

/** A kind that exists as JSON only, such as kubectl's Table. */
export const kindWithoutMessage = defineError<{ apiVersion: string; kind: string }>({
  code: 'PROTOBUF_KIND_UNSUPPORTED',
  retry: 'never',
  message: ({ apiVersion, kind }) => `${apiVersion} ${kind} has no protobuf form`,
  hint: () => 'Ask for JSON: "Accept: application/json".',
});

export const valueUnwritable = defineError<{ fieldPath: string; expected: string }>({
  code: 'PROTOBUF_VALUE_INVALID',
  retry: 'never',
  message: ({ fieldPath, expected }) => `${fieldPath} must be ${expected}`,
  hint: () => 'The object does not have the form of its kind; correct that field.',
});
