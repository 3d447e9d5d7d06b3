/**
 * Generates and validates the selector of a Job. Unless the user sets a manual selector, the server generates
 * one from the Job's UID, so that no two Jobs can claim the same pod.
 */
import { matchesLabels } from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf, nameOf, withMetadata } from '../../objects/metadata.ts';
import { changeStructAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { readSelector } from '../selector-rules.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readFlag, readTextMap } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';
const OLD_UID_LABEL = 'controller-uid';
const OLD_NAME_LABEL = 'job-name';
const LABELS = 'spec.template.metadata.labels';

export function withGeneratedSelector(job: JsonObject): JsonObject {
  if (readFlag(valueAt(job, 'spec.manualSelector'))) return job;
  const { labels: own } = metadataOf(job);
  const labels = fillAbsent(structAt(job, LABELS), expectedLabels(job));
  const placed = changeStructAt(job, LABELS, () => labels);
  // A Job without labels shares the labels object of its template.
  const isShared = !isGiven(own) || own === valueAt(job, LABELS);
  const labelled = isShared ? withMetadata(placed, { labels }) : placed;
  return changeStructAt(labelled, 'spec.selector.matchLabels', (labels) =>
    fillAbsent(labels, { [UID_LABEL]: textAt(job, 'metadata.uid') }),
  );
}

export function* validateGeneratedSelector(job: JsonObject): FieldErrors {
  const selector = valueAt(job, 'spec.selector');
  if (readFlag(valueAt(job, 'spec.manualSelector')) || !isGiven(selector)) return;
  const found = readTextMap(valueAt(job, LABELS));
  const expected = expectedLabels(job);
  for (const [key, value] of Object.entries(expected)) {
    const actual = found.get(key);
    if (actual === undefined) yield required(`${LABELS}[${key}]`, `must be '${value}'`);
    else if (actual !== value) {
      yield invalidField(`${LABELS}[${key}]`, structAt(job, LABELS), `must be '${value}'`);
    }
  }
  const read = readSelector(selector);
  if (!read || matchesLabels(read, expected)) return;
  yield invalidField('spec.selector', selector, '`selector` not auto-generated');
}

export function* validateJobSelector(job: JsonObject): FieldErrors {
  const selector = valueAt(job, 'spec.selector');
  if (!isGiven(selector)) yield required('spec.selector');
  yield* validateLabelSelector(selector, 'spec.selector');
  const read = readSelector(selector);
  const labels = readTextMap(valueAt(job, LABELS));
  if (read && matchesLabels(read, Object.fromEntries(labels))) return;
  const shown = valueAt(job, LABELS) ?? null;
  yield invalidField(LABELS, shown, '`selector` does not match template `labels`');
}

function expectedLabels(job: JsonObject): Readonly<Record<string, string>> {
  const uid = textAt(job, 'metadata.uid');
  const name = nameOf(job);
  return { [OLD_UID_LABEL]: uid, [OLD_NAME_LABEL]: name, [UID_LABEL]: uid, [NAME_LABEL]: name };
}
