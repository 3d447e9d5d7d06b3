/** Matches the selector of a workload with an object's labels. An invalid selector matches nothing. */
import { readObject } from '../../../../api/validation/json-reading.ts';
import { matchesLabels, selectorFromObject } from '../../../../api/values/label-selector.ts';
import { PodkeepError } from '../../../../lib/errors.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { valueAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';

/** `spec.selector`, a metav1.LabelSelector. An absent or empty one selects nothing here. */
export function selectorMatcher(owner: JsonObject): (child: JsonObject) => boolean {
  const given = readObject(valueAt(owner, 'spec.selector'));
  if (!given || Object.keys(given).length === 0) return () => false;
  try {
    const selector = selectorFromObject(given);
    return (child) => matchesLabels(selector, labelsOf(child));
  } catch (error) {
    if (error instanceof PodkeepError) return () => false;
    throw error;
  }
}

/** A plain map of labels, as ReplicationControllers and Services have it. An empty one selects nothing. */
export function labelMapMatcher(selector: JsonObject): (child: JsonObject) => boolean {
  const entries = Object.entries(selector);
  if (entries.length === 0) return () => false;
  return (child) => {
    const labels = labelsOf(child);
    return entries.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  };
}
