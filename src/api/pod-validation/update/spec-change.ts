/**
 * Validates that an update changes only the mutable fields of a pod's spec: images, activeDeadlineSeconds,
 * additional tolerations, removed scheduling gates and, while the pod is gated, a narrower node selection.
 *
 * It reverts the permitted changes and compares the result with the old spec. The error shows any difference
 * as a diff.
 */
import { jsonEqual } from '../../values/json-equal.ts';
import { structOf } from '../../schema/schema.ts';
import { semanticallyEqual } from '../../values/semantic-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  withField,
  withFieldOf,
  withoutField,
  changeObjects,
} from '../../validation/json-changes.ts';
import { forbiddenField, type FieldErrors } from '../../validation/field-errors.ts';
import { readNumber, readObject, readObjects, readStruct } from '../../validation/json-reading.ts';
import { diffInternally } from './internal-diff.ts';
import { validateNarrowedAffinity, validateNarrowedSelector } from './spec-additions.ts';

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];
const GRACE = 'terminationGracePeriodSeconds';

export function* validateSpecChange(spec: JsonObject, old: JsonObject): FieldErrors {
  if (isSameSpec(spec, old)) return;
  let undone = undoAlwaysPermitted(spec, old);
  if (readObjects(old['schedulingGates']).length > 0) {
    yield* checkNarrowing(undone, old);
    undone = undoNarrowing(undone, old);
  }
  if (isSameSpec(undone, old)) return;
  const diff = diffInternally(old, undone, 'core/v1.PodSpec');
  const fields = UPDATABLE.join(',');
  yield forbiddenField('spec', `pod updates may not change fields other than ${fields}\n${diff}`);
}

export function isSameSpec(a: JsonObject, b: JsonObject): boolean {
  return semanticallyEqual(a, b, structOf('core/v1.PodSpec'));
}

function undoAlwaysPermitted(spec: JsonObject, old: JsonObject): JsonObject {
  let undone = spec;
  for (const list of ['containers', 'initContainers'] as const) {
    const before = readObjects(old[list]);
    undone = changeObjects(undone, list, (container, index) =>
      withFieldOf(container, 'image', before[index] ?? {}),
    );
  }
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) {
    undone = withFieldOf(undone, name, old);
  }
  // A negative grace period may be corrected to one second.
  const isCorrected = readNumber(old[GRACE]) < 0 && undone[GRACE] === 1;
  return isCorrected ? withFieldOf(undone, GRACE, old) : undone;
}

function* checkNarrowing(spec: JsonObject, old: JsonObject): FieldErrors {
  yield* validateNarrowedSelector(spec['nodeSelector'], old['nodeSelector'], 'spec.nodeSelector');
  const [next, before] = [nodeAffinityOf(spec), nodeAffinityOf(old)];
  yield* validateNarrowedAffinity(next, before, 'spec.affinity.nodeAffinity');
}

function undoNarrowing(spec: JsonObject, old: JsonObject): JsonObject {
  const [selector, oldSelector] = [
    readStruct(spec['nodeSelector']),
    readStruct(old['nodeSelector']),
  ];
  const undone = jsonEqual(selector, oldSelector) ? spec : withFieldOf(spec, 'nodeSelector', old);
  const before = nodeAffinityOf(old);
  if (isSameNodeAffinity(nodeAffinityOf(spec), before)) return undone;
  const affinity = readObject(undone['affinity']);
  if (!affinity) return before ? withField(undone, 'affinity', { nodeAffinity: before }) : undone;
  const others = withoutField(affinity, 'nodeAffinity');
  const restored = before ? { ...others, nodeAffinity: before } : others;
  const wasNone = !readObject(old['affinity']) && Object.keys(others).length === 0;
  return wasNone ? withoutField(undone, 'affinity') : withField(undone, 'affinity', restored);
}

/** Absent and empty differ here. */
function isSameNodeAffinity(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  if (!a || !b) return a === b;
  return semanticallyEqual(a, b, structOf('core/v1.NodeAffinity'));
}

function nodeAffinityOf(spec: JsonObject): JsonObject | undefined {
  return readObject(readObject(spec['affinity'])?.['nodeAffinity']);
}
