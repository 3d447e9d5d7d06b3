/**
 * Validates the names of a custom kind: each must be usable in a path, and the list kind must differ from the
 * kind.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { readText, readTexts } from '../../../api/validation/json-reading.ts';
import { checkDns1035Label } from '../../../api/dns-1035.ts';

export function* validateNames(names: JsonObject, fieldPath: string): FieldErrors {
  for (const field of ['plural', 'singular']) yield* validateLabel(names, field, fieldPath);
  for (const field of ['kind', 'listKind']) yield* validateMixedCase(names, field, fieldPath);
  yield* validateLabels(names, 'shortNames', fieldPath);
  const [kind, listKind] = [readText(names['kind']), readText(names['listKind'])];
  if (kind !== '' && kind === listKind) {
    yield invalidField(`${fieldPath}.listKind`, listKind, 'kind and listKind may not be the same');
  }
  yield* validateLabels(names, 'categories', fieldPath);
}

function* validateLabel(names: JsonObject, field: string, fieldPath: string): FieldErrors {
  const name = readText(names[field]);
  const faults = checkDns1035Label(name);
  if (name !== '' && faults.length > 0)
    yield invalidField(`${fieldPath}.${field}`, name, faults.join(','));
}

function* validateMixedCase(names: JsonObject, field: string, fieldPath: string): FieldErrors {
  const name = readText(names[field]);
  const faults = checkDns1035Label(name.toLowerCase());
  if (name === '' || faults.length === 0) return;
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  yield invalidField(`${fieldPath}.${field}`, name, detail);
}

function* validateLabels(names: JsonObject, field: string, fieldPath: string): FieldErrors {
  for (const [index, name] of readTexts(names[field]).entries()) {
    const faults = checkDns1035Label(name);
    if (faults.length > 0)
      yield invalidField(`${fieldPath}.${field}[${index}]`, name, faults.join(','));
  }
}
