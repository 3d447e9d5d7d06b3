/** What a version says (or all of them together): its schema, subresources, columns and fields. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalid,
  required,
  tooMany,
  type Complaints,
} from '../../kinds/validation/complaint.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../kinds/validation/json-reading.ts';
import { readSchema, type Schema } from '../schema.ts';
import { walkFieldPath } from './field-path.ts';
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

/** `schemaField`: what the schema is called at this place; `hasStatus`: is the status written alone? */
export function* validateParts(
  parts: JsonObject,
  place: string,
  schemaField: 'schema' | 'validation',
  hasStatus: boolean,
): Complaints {
  yield* validateWarning(parts, place);
  const subresources = readStruct(parts['subresources']);
  const schema = readObject(readStruct(parts['schema'])['openAPIV3Schema']);
  if (schema) {
    yield* validateRootSchema(schema, `${place}.${schemaField}.openAPIV3Schema`, hasStatus);
  }
  yield* validateScale(subresources, `${place}.subresources`);
  yield* validateColumns(parts, place);
  yield* validateSelectable(parts, schema && readSchema(schema), place);
}

function* validateWarning(version: JsonObject, place: string): Complaints {
  const { deprecationWarning: warning } = version;
  if (!isGiven(warning)) return;
  const field = `${place}.deprecationWarning`;
  const text = readText(warning);
  if (version['deprecated'] !== true) {
    yield invalid(field, text, 'can only be set for deprecated versions');
    return;
  }
  if (Buffer.byteLength(text) > WARNING_LENGTH_MAX) {
    yield invalid(field, text, `must be <= ${WARNING_LENGTH_MAX} characters long`);
  }
  if (text === '') yield invalid(field, text, 'must not be an empty string');
  const control = text.search(/[^\P{C}]|[\u2028\u2029]/u);
  if (control < 0) return;
  const index = Buffer.byteLength(text.slice(0, control));
  const detail =
    'must only contain printable UTF-8 characters; ' +
    `non-printable character found at index ${index}`;
  yield invalid(field, text, detail);
}

function* validateScale(subresources: JsonObject, place: string): Complaints {
  const scale = readObject(subresources['scale']);
  if (!scale) return;
  yield* validateReplicas(scale, 'specReplicasPath', '.spec', place);
  yield* validateReplicas(scale, 'statusReplicasPath', '.status', place);
  const selector = readText(scale['labelSelectorPath']);
  if (selector === '') return;
  const field = `${place}.scale.labelSelectorPath`;
  if (!selector.startsWith('.')) yield notSimple(field, selector);
  else if (!selector.startsWith('.spec.') && !selector.startsWith('.status.')) {
    yield invalid(field, selector, 'should be a json path under either .spec or .status');
  }
}

function* validateReplicas(
  scale: JsonObject,
  name: string,
  root: string,
  place: string,
): Complaints {
  const field = `${place}.scale.${name}`;
  const path = readText(scale[name]);
  if (path === '') yield required(field);
  else if (!path.startsWith('.')) yield notSimple(field, path);
  else if (!path.startsWith(`${root}.`)) {
    yield invalid(field, path, `should be a json path under ${root}`);
  }
}

function* validateColumns(parts: JsonObject, place: string): Complaints {
  for (const [index, column] of readObjects(parts['additionalPrinterColumns']).entries()) {
    const at = `${place}.additionalPrinterColumns[${index}]`;
    const [type, format] = [readText(column['type']), readText(column['format'])];
    const path = readText(column['jsonPath']);
    if (readText(column['name']) === '') yield required(`${at}.name`);
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (type === '') yield required(`${at}.type`, types);
    else if (!COLUMN_TYPES.includes(type)) yield invalid(`${at}.type`, type, types);
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      yield invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    }
    if (path === '') yield required(`${at}.JSONPath`);
    else if (!path.startsWith('.')) yield notSimple(`${at}.JSONPath`, path);
  }
}

function notSimple(field: string, path: string): ReturnType<typeof invalid> {
  return invalid(field, path, 'must be a simple json path starting with .');
}

function* validateSelectable(
  parts: JsonObject,
  schema: Schema | undefined,
  place: string,
): Complaints {
  const seen = new Set<string>();
  for (const [index, one] of readObjects(parts['selectableFields']).entries()) {
    const field = `${place}.selectableFields[${index}].jsonPath`;
    const path = readText(one['jsonPath']);
    if (path === '') {
      yield required(field);
      continue;
    }
    if (!schema) continue;
    const walked = walkFieldPath(path, schema, false);
    if ('fault' in walked) {
      yield invalid(field, path, `is an invalid path: ${walked.fault}`);
      continue;
    }
    if (walked.names[0] === 'metadata') {
      yield invalid(field, path, 'must not point to fields in metadata');
    }
    if (!['string', 'boolean', 'integer'].includes(walked.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings ' +
        'with formats are allowed.';
      yield invalid(field, path, detail);
    }
    if (seen.has(walked.place)) yield duplicate(field, path);
    seen.add(walked.place);
  }
  if (seen.size > SELECTABLE_MAX) {
    yield tooMany(`${place}.selectableFields`, seen.size, SELECTABLE_MAX);
  }
}
