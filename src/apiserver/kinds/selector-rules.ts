/** The selector of a workload: which pods are its own, and that its template makes such pods. */
import { matchesLabels, selectorFromObject, type LabelSelector } from '../../api/label-selector.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { structAt, valueAt } from './field-path.ts';
import { invalid, required, type Complaints } from './validation/complaint.ts';
import { isGiven, readTextMap } from './validation/json-reading.ts';
import { validateLabelSelector } from './validation/labels.ts';

/** `owner`: as the complaint about an empty selector calls the kind. */
export function* validateWorkloadSelector(object: JsonObject, owner: string): Complaints {
  const selector = valueAt(object, 'spec.selector');
  if (!isGiven(selector)) {
    yield required('spec.selector');
    return;
  }
  yield* validateLabelSelector(selector, 'spec.selector');
  if (isEmptySelector(selector)) {
    yield invalid('spec.selector', selector, `empty selector is invalid for ${owner}`);
  }
}

export function isEmptySelector(selector: unknown): boolean {
  if (!isJsonObject(selector)) return false;
  const { matchLabels, matchExpressions } = selector;
  const labels = isJsonObject(matchLabels) ? Object.keys(matchLabels).length : 0;
  return labels + (Array.isArray(matchExpressions) ? matchExpressions.length : 0) === 0;
}

export function* validateTemplateLabels(object: JsonObject): Complaints {
  const said = valueAt(object, 'spec.selector');
  const selector = readSelector(said);
  const path = 'spec.template.metadata.labels';
  const labels = structAt(object, path);
  // One that is not there selects nothing, and one that is empty everything.
  if (isGiven(said) && (!selector || selector.length === 0)) return;
  if (selector && matchesLabels(selector, Object.fromEntries(readTextMap(labels)))) return;
  yield invalid(path, valueAt(object, path) ?? null, '`selector` does not match template `labels`');
}

/** Undefined: it is not there, or it cannot be read. */
export function readSelector(selector: unknown): LabelSelector | undefined {
  if (!isJsonObject(selector)) return undefined;
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    return undefined;
  }
}
