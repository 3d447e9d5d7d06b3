/**
 * Defines the kind Secret: its defaults, validation and columns. The type of a Secret determines which keys
 * it must have.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { keyErrors, sealErrors } from './config-map.ts';
import { integerColumn, textColumn } from '../../objects/columns.ts';
import { textAt } from '../../objects/field-path.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  invalidField,
  required,
  tooLong,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillEmpty, withField, withoutField } from '../../../api/validation/json-changes.ts';
import {
  readEntries,
  readStruct,
  readText,
  readTextMap,
} from '../../../api/validation/json-reading.ts';

const BYTES_MAX = 1024 * 1024;
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';

/** The missing keys, by type. Some types need only one of several keys. */
const KEYS: Readonly<Record<string, (data: JsonObject) => readonly string[]>> = {
  'kubernetes.io/dockercfg': (data) => missing(data, ['.dockercfg']),
  'kubernetes.io/dockerconfigjson': (data) => missing(data, ['.dockerconfigjson']),
  'kubernetes.io/tls': (data) => missing(data, ['tls.crt', 'tls.key']),
  'kubernetes.io/ssh-auth': (data) =>
    readText(data['ssh-privatekey']) === '' ? ['ssh-privatekey'] : [],
  'kubernetes.io/basic-auth': (data) => {
    const absent = missing(data, ['username', 'password']);
    return absent.length === 2 ? absent : [];
  },
};
const JSON_KEYS: Readonly<Record<string, string>> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
};

export const secrets = plainKind('v1', {
  kind: 'Secret',
  resource: 'secrets',
  rules: {
    applyDefaults,
    validate: (object) => [...checkSecret(object)],
    validateUpdate: (object, old) => [
      ...validateUnchanged(object, old, ['type']),
      ...sealErrors(object, old),
      ...checkSecret(object),
    ],
    selectableFields: (object) => ({ type: textAt(object, 'type') }),
  },
  columns: [
    NAME,
    textColumn('Type', 'Who the secret is for, and so which keys it has.', (object) =>
      textAt(object, 'type'),
    ),
    {
      ...integerColumn('Data', 'How many entries it has.', (object) => {
        return Object.keys(readStruct(object['data'])).length;
      }),
      type: 'string',
    },
    AGE,
  ],
});

function applyDefaults(secret: JsonObject): JsonObject {
  return fillEmpty(encodeTexts(secret), { type: 'Opaque' });
}

/** `stringData` is encoded into `data`, and never returned. */
function encodeTexts(secret: JsonObject): JsonObject {
  const texts = readEntries(secret['stringData']).map(([key, text]): [string, Json] => [
    key,
    Buffer.from(readText(text)).toString('base64'),
  ]);
  const rest = withoutField(secret, 'stringData');
  if (texts.length === 0) return rest;
  const data = Object.entries(readStruct(secret['data']));
  return withField(rest, 'data', Object.fromEntries([...data, ...texts]));
}

function* checkSecret(secret: JsonObject): FieldErrors {
  yield* keyErrors(secret['data'], 'data');
  const data = readStruct(secret['data']);
  const bytes = Object.values(data).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(readText(value), 'base64'),
    0,
  );
  if (bytes > BYTES_MAX) yield tooLong('data', BYTES_MAX);
  yield* checkType(secret, textAt(secret, 'type'), data);
}

function* checkType(secret: JsonObject, type: string, data: JsonObject): FieldErrors {
  if (type === 'kubernetes.io/service-account-token') {
    const annotations = readTextMap(metadataOf(secret)['annotations']);
    if ((annotations.get(ACCOUNT_ANNOTATION) ?? '') !== '') return;
    yield required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`);
  }
  if (!Object.hasOwn(KEYS, type)) return;
  const absent = KEYS[type]?.(data) ?? [];
  for (const key of absent) yield required(`data[${key}]`);
  const jsonKey = Object.hasOwn(JSON_KEYS, type) ? JSON_KEYS[type] : undefined;
  if (jsonKey !== undefined && absent.length === 0) yield* checkJson(data, jsonKey);
}

function* checkJson(data: JsonObject, key: string): Generator<FieldError, void> {
  try {
    JSON.parse(Buffer.from(readText(data[key]), 'base64').toString());
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : String(error);
    yield invalidField(`data[${key}]`, '<secret contents redacted>', why);
  }
}

function missing(data: JsonObject, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !Object.hasOwn(data, key));
}
