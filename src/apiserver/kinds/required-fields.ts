/** Fields that must say something, and fields that must say one of a few things. */
import type { JsonObject } from '../../lib/json.ts';
import { valueAt } from './field-path.ts';
import { required, unsupported, type Complaints } from './validation/complaint.ts';
import { isGiven, readText } from './validation/json-reading.ts';

export function* validateRequired(object: JsonObject, paths: readonly string[]): Complaints {
  for (const path of paths) {
    const value = valueAt(object, path);
    const isEmpty = !isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0);
    if (isEmpty) yield required(path);
  }
}

/** Only if there is anything: whether it must be there is another question. */
export function* validateOneOf(
  object: JsonObject,
  path: string,
  supported: readonly string[],
): Complaints {
  const value = valueAt(object, path);
  if (!isGiven(value) || supported.includes(readText(value))) return;
  yield unsupported(path, value, supported);
}
