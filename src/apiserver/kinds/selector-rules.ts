/** Validates the selector of a workload: it must be valid, and match the labels of the template. */
import {
  matchesLabels,
  selectorFromObject,
  type LabelSelector,
} from '../../api/values/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { structAt, valueAt } from '../objects/field-path.ts';
import { invalidField, required, type FieldErrors } from '../../api/validation/field-errors.ts';
import { isGiven, readTextMap } from '../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../api/validation/labels.ts';

/** `owner`: the name of the kind in the error about an empty selector. */
export function* validateWorkloadSelector(object: JsonObject, owner: string): FieldErrors {
  const selector = valueAt(object, 'spec.selector');
  if (!isGiven(selector)) {
    yield required('spec.selector');
    return;
  }
  yield* validateLabelSelector(selector, 'spec.selector');
  if (isEmptySelector(selector)) {
    yield invalidField('spec.selector', selector, `empty selector is invalid for ${owner}`);
  }
}

export function isEmptySelector(selector: unknown): boolean {
  if (!isJsonObject(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  const labels = isJsonObject(matchLabels) ? Object.keys(matchLabels).length : 0;
  return labels + (Array.isArray(matchExpressions) ? matchExpressions.length : 0) === 0;
}

export function* validateTemplateLabels(object: JsonObject): FieldErrors {
  const given = valueAt(object, 'spec.selector');
  const selector = readSelector(given);
  const path = 'spec.template.metadata.labels';
  const labels = structAt(object, path);
  // An absent selector selects nothing, an empty one everything.
  if (isGiven(given) && (!selector || selector.length === 0)) return;
  if (selector && matchesLabels(selector, Object.fromEntries(readTextMap(labels)))) return;
  yield invalidField(
    path,
    valueAt(object, path) ?? null,
    '`selector` does not match template `labels`',
  );
}

/** Undefined: it is absent or invalid. */
export function readSelector(selector: unknown): LabelSelector | undefined {
  if (!isJsonObject(selector)) return undefined;
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    return undefined;
  }
}
