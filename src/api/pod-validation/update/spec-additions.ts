/**
 * Validates updates of the parts of a pod's spec that may only grow (tolerations, node selection) or only
 * shrink (scheduling gates).
 */
import { jsonEqual } from '../../values/json-equal.ts';
import { structOf } from '../../schema/schema.ts';
import { semanticallyEqual } from '../../values/semantic-equal.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { internalForm } from '../internal-form.ts';
import { hasComparisons, validateTolerations } from '../scheduling/tolerations.ts';
import { forbiddenField, invalidField, type FieldErrors } from '../../validation/field-errors.ts';
import {
  isGiven,
  readEntries,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTextMap,
} from '../../validation/json-reading.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TOLERATION_SECONDS: ReadonlySet<string> = new Set(['tolerationSeconds']);

/** Tolerations may be added; in existing ones only tolerationSeconds may change. */
export function* validateAddedTolerations(
  spec: JsonObject,
  old: JsonObject,
  path: string,
): FieldErrors {
  const type = structOf('core/v1.Toleration');
  const tolerations = readObjects(spec['tolerations']);
  const areKept = readObjects(old['tolerations']).every((before) =>
    tolerations.some((after) => semanticallyEqual(before, after, type, TOLERATION_SECONDS)),
  );
  const allowsComparisons = hasComparisons(old['tolerations']);
  if (areKept) yield* validateTolerations(spec['tolerations'], path, allowsComparisons);
  else
    yield forbiddenField(
      path,
      'existing toleration can not be modified except its tolerationSeconds',
    );
}

/** Scheduling gates may be removed, never added. */
export function* validateRemovedGates(
  spec: JsonObject,
  old: JsonObject,
  path: string,
): FieldErrors {
  const before = new Set(readObjects(old['schedulingGates']).map(({ name }) => readText(name)));
  const names = readObjects(spec['schedulingGates']).map(({ name }) => readText(name));
  for (const [index, name] of names.entries()) {
    // Of two gates with the same name, the API reports the last one.
    if (before.has(name) || names.lastIndexOf(name) !== index) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield forbiddenField(`${path}[${index}].name`, detail);
  }
}

/** While a pod has scheduling gates, its node selector may only become narrower. */
export function* validateNarrowedSelector(
  selector: Json | undefined,
  old: Json | undefined,
  path: string,
): FieldErrors {
  const after = readTextMap(selector);
  const isKept = [...readTextMap(old)].every(([key, value]) => after.get(key) === value);
  if (isKept) return;
  const shown = selector === undefined ? null : Object.fromEntries(readEntries(selector));
  yield invalidField(
    path,
    shown,
    'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
  );
}

export function* validateNarrowedAffinity(
  affinity: JsonObject | undefined,
  old: JsonObject | undefined,
  path: string,
): FieldErrors {
  const before = readObject(old?.[REQUIRED]);
  if (!before) return;
  const oldTerms = readObjects(before['nodeSelectorTerms']);
  const { nodeSelectorTerms } = readStruct(affinity?.[REQUIRED]);
  const terms = readObjects(nodeSelectorTerms);
  const field = `${path}.${REQUIRED}.nodeSelectorTerms`;
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const shown = isGiven(nodeSelectorTerms) ? terms.map(showTerm) : null;
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    yield invalidField(field, shown, detail);
    return;
  }
  for (const [index, oldTerm] of oldTerms.entries()) {
    const term = terms[index] ?? {};
    if (hasOnlyAdditions(term, oldTerm)) continue;
    const detail = 'only additions are allowed (no mutations or deletions)';
    yield invalidField(`${field}[${index}]`, showTerm(term), detail);
  }
}

function showTerm(term: JsonObject): Json {
  return internalForm(term, 'core/v1.NodeSelectorTerm');
}

/** A term without requirements matches nothing, so any requirement would make it match more. */
function hasOnlyAdditions(term: JsonObject, old: JsonObject): boolean {
  const names = ['matchExpressions', 'matchFields'] as const;
  const wasEmpty = names.every((name) => readObjects(old[name]).length === 0);
  if (wasEmpty) return names.every((name) => readObjects(term[name]).length === 0);
  return names.every((name) => {
    const before = readObjects(old[name]);
    return jsonEqual(readObjects(term[name]).slice(0, before.length), before);
  });
}
