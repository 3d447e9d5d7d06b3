/**
 * Validates the files that the kubelet writes into a volume: from the keys of a Secret or ConfigMap, or from
 * the downward API.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { invalidField, required, type FieldErrors } from '../../validation/field-errors.ts';
import { isGiven, readNumber, readObject, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateFilePath } from '../../validation/paths.ts';
import { FILE_FIELDS, validateFieldRef, validateResourceRef } from './downward-api.ts';

const MODE_MAX = 0o777;

export function* validateMode(mode: Value, field: string): FieldErrors {
  if (!isGiven(mode)) return;
  const number = readNumber(mode);
  if (number >= 0 && number <= MODE_MAX) return;
  yield invalidField(field, number, 'must be a number between 0 and 0777 (octal), both inclusive');
}

export function* validateKeyToPath(item: JsonObject, path: string): FieldErrors {
  const file = readText(item['path']);
  if (readText(item['key']) === '') yield required(`${path}.key`);
  if (file === '') yield required(`${path}.path`);
  yield* validateFilePath(file, `${path}.path`);
  yield* validateMode(item['mode'], `${path}.mode`);
}

export function* validateDownwardFile(item: JsonObject, path: string): FieldErrors {
  const file = readText(item['path']);
  if (file === '') yield required(`${path}.path`);
  yield* validateFilePath(file, `${path}.path`);
  const fieldRef = readObject(item['fieldRef']);
  const resourceRef = readObject(item['resourceFieldRef']);
  if (fieldRef) {
    yield* validateFieldRef(fieldRef, `${path}.fieldRef`, FILE_FIELDS);
    if (resourceRef) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
      yield invalidField(path, 'resource', detail);
    }
  } else if (resourceRef) {
    yield* validateResourceRef(resourceRef, `${path}.resourceFieldRef`, true);
  } else {
    yield required(path, 'one of fieldRef and resourceFieldRef is required');
  }
  yield* validateMode(item['mode'], `${path}.mode`);
}
