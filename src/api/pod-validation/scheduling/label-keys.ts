/**
 * Validates matchLabelKeys and mismatchLabelKeys: keys of the pod's own labels that the server adds to the
 * label selector.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { forbiddenField, invalidField, type FieldErrors } from '../../validation/field-errors.ts';
import {
  readEntries,
  readObject,
  readObjects,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import { validateQualifiedName } from '../../validation/names.ts';

export function* validateLabelKeys(holder: JsonObject, path: string): FieldErrors {
  const selector = readObject(holder['labelSelector']);
  const matching = readTexts(holder['matchLabelKeys']);
  const mismatching = readTexts(holder['mismatchLabelKeys']);
  yield* validateKeys(matching, `${path}.matchLabelKeys`, selector);
  yield* validateKeys(mismatching, `${path}.mismatchLabelKeys`, selector);
  if (selector) yield* validateNotSetTwice(matching, selector, path);
  for (const [index, key] of matching.entries()) {
    if (!mismatching.includes(key)) continue;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    yield invalidField(`${path}.matchLabelKeys[${index}]`, key, detail);
  }
}

function* validateKeys(
  keys: readonly string[],
  path: string,
  selector: JsonObject | undefined,
): FieldErrors {
  if (keys.length === 0) return;
  if (!selector) {
    yield forbiddenField(path, 'must not be specified when labelSelector is not set');
    return;
  }
  for (const [index, key] of keys.entries()) yield* validateQualifiedName(key, `${path}[${index}]`);
}

/**
 * The server adds one expression for each key when a pod is created, so later validations expect one. A
 * second one must be the user's, and is an error.
 */
function* validateNotSetTwice(
  matching: readonly string[],
  selector: JsonObject,
  path: string,
): FieldErrors {
  const given = new Set(readEntries(selector['matchLabels']).map(([key]) => key));
  for (const expression of readObjects(selector['matchExpressions'])) {
    const key = readText(expression['key']);
    const index = matching.lastIndexOf(key);
    if (index >= 0 && given.has(key)) {
      yield invalidField(
        `${path}[${index}]`,
        key,
        'exists in both matchLabelKeys and labelSelector',
      );
    }
    given.add(key);
  }
}
