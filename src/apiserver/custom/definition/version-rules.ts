/**
 * Validates the schema, subresources, columns and selectable fields of one version, or of all versions that
 * share them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  required,
  tooMany,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../api/validation/json-reading.ts';
import { readSchema, type Schema } from '../../schema/schema.ts';
import { walkFieldPath } from '../../schema/rule-field-path.ts';
import { validateRootSchema } from './root-schema-rules.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = [
  'byte',
  'date',
  'date-time',
  'double',
  'float',
  'int32',
  'int64',
  'password',
];
const SELECTABLE_MAX = 8;
const WARNING_LENGTH_MAX = 256;

/** `schemaField`: the name of the schema's field here; `hasStatus`: is there a status subresource? */
export function* validateParts(
  parts: JsonObject,
  fieldPath: string,
  schemaField: 'schema' | 'validation',
  hasStatus: boolean,
): FieldErrors {
  yield* validateWarning(parts, fieldPath);
  const subresources = readStruct(parts['subresources']);
  const schema = readObject(readStruct(parts['schema'])['openAPIV3Schema']);
  if (schema) {
    yield* validateRootSchema(schema, `${fieldPath}.${schemaField}.openAPIV3Schema`, hasStatus);
  }
  yield* validateScale(subresources, `${fieldPath}.subresources`);
  yield* validateColumns(parts, fieldPath);
  yield* validateSelectable(parts, schema && readSchema(schema), fieldPath);
}

function* validateWarning(version: JsonObject, fieldPath: string): FieldErrors {
  const { deprecationWarning: warning } = version;
  if (!isGiven(warning)) return;
  const field = `${fieldPath}.deprecationWarning`;
  const text = readText(warning);
  if (version['deprecated'] !== true) {
    yield invalidField(field, text, 'can only be set for deprecated versions');
    return;
  }
  if (Buffer.byteLength(text) > WARNING_LENGTH_MAX) {
    yield invalidField(field, text, `must be <= ${WARNING_LENGTH_MAX} characters long`);
  }
  if (text === '') yield invalidField(field, text, 'must not be an empty string');
  const control = text.search(/[^\P{C}]|[\u2028\u2029]/u);
  if (control < 0) return;
  const index = Buffer.byteLength(text.slice(0, control));
  const detail =
    'must only contain printable UTF-8 characters; ' +
    `non-printable character found at index ${index}`;
  yield invalidField(field, text, detail);
}

function* validateScale(subresources: JsonObject, fieldPath: string): FieldErrors {
  const scale = readObject(subresources['scale']);
  if (!scale) return;
  yield* validateReplicas(scale, 'specReplicasPath', '.spec', fieldPath);
  yield* validateReplicas(scale, 'statusReplicasPath', '.status', fieldPath);
  const selector = readText(scale['labelSelectorPath']);
  if (selector === '') return;
  const field = `${fieldPath}.scale.labelSelectorPath`;
  if (!selector.startsWith('.')) yield notSimple(field, selector);
  else if (!selector.startsWith('.spec.') && !selector.startsWith('.status.')) {
    yield invalidField(field, selector, 'should be a json path under either .spec or .status');
  }
}

function* validateReplicas(
  scale: JsonObject,
  name: string,
  root: string,
  fieldPath: string,
): FieldErrors {
  const field = `${fieldPath}.scale.${name}`;
  const path = readText(scale[name]);
  if (path === '') yield required(field);
  else if (!path.startsWith('.')) yield notSimple(field, path);
  else if (!path.startsWith(`${root}.`)) {
    yield invalidField(field, path, `should be a json path under ${root}`);
  }
}

function* validateColumns(parts: JsonObject, fieldPath: string): FieldErrors {
  for (const [index, column] of readObjects(parts['additionalPrinterColumns']).entries()) {
    const at = `${fieldPath}.additionalPrinterColumns[${index}]`;
    const [type, format] = [readText(column['type']), readText(column['format'])];
    const path = readText(column['jsonPath']);
    if (readText(column['name']) === '') yield required(`${at}.name`);
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (type === '') yield required(`${at}.type`, types);
    else if (!COLUMN_TYPES.includes(type)) yield invalidField(`${at}.type`, type, types);
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      yield invalidField(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    }
    if (path === '') yield required(`${at}.JSONPath`);
    else if (!path.startsWith('.')) yield notSimple(`${at}.JSONPath`, path);
  }
}

function notSimple(field: string, path: string): ReturnType<typeof invalidField> {
  return invalidField(field, path, 'must be a simple json path starting with .');
}

function* validateSelectable(
  parts: JsonObject,
  schema: Schema | undefined,
  fieldPath: string,
): FieldErrors {
  const seen = new Set<string>();
  for (const [index, one] of readObjects(parts['selectableFields']).entries()) {
    const field = `${fieldPath}.selectableFields[${index}].jsonPath`;
    const path = readText(one['jsonPath']);
    if (path === '') {
      yield required(field);
      continue;
    }
    if (!schema) continue;
    const walked = walkFieldPath(path, schema, false);
    if ('fault' in walked) {
      yield invalidField(field, path, `is an invalid path: ${walked.fault}`);
      continue;
    }
    if (walked.names[0] === 'metadata') {
      yield invalidField(field, path, 'must not point to fields in metadata');
    }
    if (!['string', 'boolean', 'integer'].includes(walked.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings ' +
        'with formats are allowed.';
      yield invalidField(field, path, detail);
    }
    if (seen.has(walked.fieldPath)) yield duplicate(field, path);
    seen.add(walked.fieldPath);
  }
  if (seen.size > SELECTABLE_MAX) {
    yield tooMany(`${fieldPath}.selectableFields`, seen.size, SELECTABLE_MAX);
  }
}
