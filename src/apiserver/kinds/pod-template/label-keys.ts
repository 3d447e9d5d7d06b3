/** Keys of the pod's own labels that are added to a selector, by value or against it. */
import type { JsonObject } from '../../../lib/json.ts';
import { forbidden, invalid, type Complaints } from '../validation/complaint.ts';
import {
  readEntries,
  readObject,
  readObjects,
  readText,
  readTexts,
} from '../validation/json-reading.ts';
import { validateQualifiedName } from '../validation/names.ts';

export function* validateLabelKeys(holder: JsonObject, path: string): Complaints {
  const selector = readObject(holder['labelSelector']);
  const matching = readTexts(holder['matchLabelKeys']);
  const mismatching = readTexts(holder['mismatchLabelKeys']);
  yield* validateKeys(matching, `${path}.matchLabelKeys`, selector);
  yield* validateKeys(mismatching, `${path}.mismatchLabelKeys`, selector);
  if (selector) yield* validateNotSaidTwice(matching, selector, path);
  for (const [index, key] of matching.entries()) {
    if (!mismatching.includes(key)) continue;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    yield invalid(`${path}.matchLabelKeys[${index}]`, key, detail);
  }
}

function* validateKeys(
  keys: readonly string[],
  path: string,
  selector: JsonObject | undefined,
): Complaints {
  if (keys.length === 0) return;
  if (!selector) {
    yield forbidden(path, 'must not be specified when labelSelector is not set');
    return;
  }
  for (const [index, key] of keys.entries()) yield* validateQualifiedName(key, `${path}[${index}]`);
}

/**
 * The server itself adds an expression for each key when a pod is created, so one is expected on
 * every later look. A second one must be the user's.
 */
function* validateNotSaidTwice(
  matching: readonly string[],
  selector: JsonObject,
  path: string,
): Complaints {
  const said = new Set(readEntries(selector['matchLabels']).map(([key]) => key));
  for (const expression of readObjects(selector['matchExpressions'])) {
    const key = readText(expression['key']);
    const index = matching.lastIndexOf(key);
    if (index >= 0 && said.has(key)) {
      yield invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector');
    }
    said.add(key);
  }
}
