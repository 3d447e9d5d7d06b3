/** Defines the kind VolumeAttributesClass: its validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { textAt } from '../../objects/field-path.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  forbiddenField,
  invalidField,
  required,
  tooLong,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { readEntries, readText } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';

const PARAMETERS_MAX = 512;
const PARAMETERS_BYTES_MAX = 256 * 1024;

export const volumeAttributesClasses = plainKind('storage.k8s.io/v1', {
  kind: 'VolumeAttributesClass',
  resource: 'volumeattributesclasses',
  shortNames: ['vac'],
  rules: {
    validate: (object) => [...checkClass(object)],
    validateUpdate: (object, old) => [...checkUpdate(object, old), ...checkClass(object)],
  },
  columns: [
    NAME,
    textColumn('DriverName', 'Whose volumes they are.', (object) => textAt(object, 'driverName')),
    AGE,
  ],
});

function* checkUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  for (const name of ['driverName', 'parameters'] as const) {
    if (jsonEqual(object[name] ?? null, old[name] ?? null)) continue;
    yield forbiddenField(name, `updates to ${name} are forbidden.`);
  }
}

function* checkClass(object: JsonObject): FieldErrors {
  const driver = textAt(object, 'driverName');
  if (driver === '') yield required('driverName');
  else yield* validateQualifiedName(driver.toLowerCase(), 'driverName');
  yield* checkParameters(readEntries(object['parameters']));
}

function* checkParameters(parameters: ReturnType<typeof readEntries>): FieldErrors {
  const field = 'parameters';
  if (parameters.length > PARAMETERS_MAX) {
    yield tooLong(field, PARAMETERS_MAX);
    return;
  }
  if (parameters.some(([key]) => key === ''))
    yield invalidField(field, '', 'field can not be empty.');
  const bytes = parameters.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(readText(value)),
    0,
  );
  if (bytes > PARAMETERS_BYTES_MAX) yield tooLong(field, PARAMETERS_BYTES_MAX);
  if (parameters.length === 0) yield required(field, 'must contain at least one key/value pair');
}
