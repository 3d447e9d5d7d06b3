/** Defines the kind ConfigMap: its validation, including immutable data, and its columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { textOf } from '../../objects/metadata.ts';
import { plainKind, AGE, NAME } from '../../objects/plain-kind.ts';

const DATA_BYTES_MAX = 1024 * 1024;
const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_LENGTH_MAX = 253;

export const configMaps = plainKind('v1', {
  kind: 'ConfigMap',
  resource: 'configmaps',
  shortNames: ['cm'],
  rules: {
    validate,
    validateUpdate: (object, old) => [...sealErrors(object, old), ...validate(object)],
  },
  columns: [
    NAME,
    {
      name: 'Data',
      type: 'string',
      description: 'How many entries it has.',
      priority: 0,
      cell: ({ data, binaryData }) => keysOf(data).length + keysOf(binaryData).length,
    },
    AGE,
  ],
});

function validate({ data, binaryData }: JsonObject): readonly FieldError[] {
  const bytes = bytesOf(data) + bytesOf(binaryData);
  const both = keysOf(data).filter((key) => isJsonObject(binaryData) && key in binaryData);
  return [
    ...keyErrors(data, 'data'),
    ...both.map((key) => ({
      type: 'Invalid' as const,
      field: 'data',
      value: key,
      detail: 'duplicate of key present in binaryData',
    })),
    ...keyErrors(binaryData, 'binaryData'),
    ...(bytes > DATA_BYTES_MAX
      ? [
          {
            type: 'TooLong' as const,
            field: '',
            detail: `may not be more than ${DATA_BYTES_MAX} bytes`,
          },
        ]
      : []),
  ];
}

/** Immutability cannot be undone, because pods may already rely on it. */
export function sealErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  if (old['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const sealed = (field: string, isSame: boolean): readonly FieldError[] =>
    isSame ? [] : [{ type: 'Forbidden', field, detail }];
  return [
    ...sealed('immutable', object['immutable'] === true),
    ...sealed('data', jsonEqual(object['data'] ?? {}, old['data'] ?? {})),
    ...sealed('binaryData', jsonEqual(object['binaryData'] ?? {}, old['binaryData'] ?? {})),
  ];
}

export function keyErrors(data: Json | undefined, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of keysOf(data)) {
    if (isPlainKey(key)) continue;
    for (const detail of problemsOf(key)) {
      errors.push({ type: 'Invalid', field: `${field}[${key}]`, value: key, detail });
    }
  }
  return errors;
}

/** A fast path: nearly every key is plain, and a ConfigMap may have a hundred thousand of them. */
function isPlainKey(key: string): boolean {
  return key.length <= KEY_LENGTH_MAX && !key.startsWith('.') && KEY.test(key);
}

function problemsOf(key: string): readonly string[] {
  return [
    ...(key.length > KEY_LENGTH_MAX ? [`must be no more than ${KEY_LENGTH_MAX} characters`] : []),
    ...(KEY.test(key)
      ? []
      : [
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. " +
            "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is " +
            "'[-._a-zA-Z0-9]+')",
        ]),
    ...(key === '.' ? ["must not be '.'"] : []),
    ...(key === '..'
      ? ["must not be '..'"]
      : key.startsWith('..')
        ? ["must not start with '..'"]
        : []),
  ];
}

function keysOf(data: Json | undefined): readonly string[] {
  return isJsonObject(data) ? Object.keys(data) : [];
}

function bytesOf(data: Json | undefined): number {
  if (!isJsonObject(data)) return 0;
  let bytes = 0;
  for (const key of Object.keys(data)) bytes += Buffer.byteLength(textOf(data[key]));
  return bytes;
}
