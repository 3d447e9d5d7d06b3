/** VolumeAttributesClasses: how volumes of a driver can perform, to be chosen by claims. */
import { jsonEqual } from '../../api/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { textColumn } from './columns.ts';
import { textAt } from './field-path.ts';
import { AGE, NAME, plainKind } from './plain-kind.ts';
import { forbidden, invalid, required, tooLong, type Complaints } from './validation/complaint.ts';
import { readEntries, readText } from './validation/json-reading.ts';
import { validateQualifiedName } from './validation/names.ts';

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

function* checkUpdate(object: JsonObject, old: JsonObject): Complaints {
  for (const name of ['driverName', 'parameters'] as const) {
    if (jsonEqual(object[name] ?? null, old[name] ?? null)) continue;
    yield forbidden(name, `updates to ${name} are forbidden.`);
  }
}

function* checkClass(object: JsonObject): Complaints {
  const driver = textAt(object, 'driverName');
  if (driver === '') yield required('driverName');
  else yield* validateQualifiedName(driver.toLowerCase(), 'driverName');
  yield* checkParameters(readEntries(object['parameters']));
}

function* checkParameters(parameters: ReturnType<typeof readEntries>): Complaints {
  const field = 'parameters';
  if (parameters.length > PARAMETERS_MAX) {
    yield tooLong(field, PARAMETERS_MAX);
    return;
  }
  if (parameters.some(([key]) => key === '')) yield invalid(field, '', 'field can not be empty.');
  const bytes = parameters.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(readText(value)),
    0,
  );
  if (bytes > PARAMETERS_BYTES_MAX) yield tooLong(field, PARAMETERS_BYTES_MAX);
  if (parameters.length === 0) yield required(field, 'must contain at least one key/value pair');
}
