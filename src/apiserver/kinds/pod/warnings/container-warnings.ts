/**
 * Warnings about quantities that cannot be granted exactly, and about environment variables that override
 * each other.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import {
  isGiven,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';
import { isWhole, printAmount, readAmount } from '../../../../api/validation/quantities.ts';

const WHOLE_BYTES: readonly (readonly [list: string, resource: string])[] = [
  ['limits', 'memory'],
  ['requests', 'memory'],
  ['limits', 'ephemeral-storage'],
  ['requests', 'ephemeral-storage'],
];

export function* warnAboutContainers(container: JsonObject, path: string): Generator<string, void> {
  const resources = readStruct(container['resources']);
  for (const [list, name] of WHOLE_BYTES) {
    const amount = readStruct(resources[list])[name];
    if (isWhole(readAmount(amount))) continue;
    const shown = JSON.stringify(printAmount(amount));
    yield `${path}.resources.${list}[${name}]: fractional byte value ${shown} is invalid, must be an integer`;
  }
  const seen = new Set<string>();
  for (const [index, variable] of readObjects(container['env']).entries()) {
    const name = readText(variable['name']);
    if (seen.has(name) && !extendsItself(variable)) {
      const quoted = JSON.stringify(name);
      yield `${path}.env[${index}]: hides previous definition of ${quoted}, which may be dropped when using apply`;
    }
    seen.add(name);
  }
}

/** `PATH=$(PATH):/bin` extends the earlier definition, so it does not override it. */
function extendsItself(variable: JsonObject): boolean {
  const value = readText(variable['value']);
  const reference = `$(${readText(variable['name'])})`;
  return !isGiven(variable['valueFrom']) && value !== reference && value.includes(reference);
}
