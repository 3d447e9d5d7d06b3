/**
 * Rules of the subresource `ephemeralcontainers`, the only way to add a container to a running pod. Existing
 * ephemeral containers cannot be changed or removed.
 */
import { structOf } from '../../../../api/schema/schema.ts';
import { semanticallyEqual } from '../../../../api/values/semantic-equal.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { FieldError } from '../../../../api/validation/field-error.ts';
import { forbiddenField, type FieldErrors } from '../../../../api/validation/field-errors.ts';
import { withFieldOf } from '../../../../api/validation/json-changes.ts';
import {
  readObjects,
  readStruct,
  readText,
  readTextMap,
} from '../../../../api/validation/json-reading.ts';
import { MIRROR_POD } from '../../../../api/pod-validation/annotations.ts';
import { bumpPodGeneration } from './generation.ts';
import { diffInternally } from '../../../../api/pod-validation/update/internal-diff.ts';
import { keepMetadata } from './preserved-metadata.ts';
import { checkAnnotationUpdate, checkPod } from '../../../../api/pod-validation/pod-validation.ts';

const FIELD = 'spec.ephemeralContainers';
const TYPE = 'core/v1.EphemeralContainer';

/** The old pod with the new ephemeral containers. */
export function prepareEphemeralUpdate(pod: JsonObject, old: JsonObject): JsonObject {
  const spec = withFieldOf(readStruct(old['spec']), 'ephemeralContainers', readStruct(pod['spec']));
  const next = withFieldOf({ ...pod, metadata: keepMetadata(pod, old), spec }, 'status', old);
  return bumpPodGeneration(next, old);
}

export function validateEphemeralUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const annotations = readTextMap(readStruct(old['metadata'])['annotations']);
  if (annotations.has(MIRROR_POD)) {
    return [forbiddenField('[]', 'static pods do not support ephemeral containers')];
  }
  return [...checkPod(pod, old), ...checkAnnotationUpdate(pod, old), ...checkKept(pod, old)];
}

function* checkKept(pod: JsonObject, old: JsonObject): FieldErrors {
  const after = new Map(
    readObjects(readStruct(pod['spec'])['ephemeralContainers']).map((container) => [
      readText(container['name']),
      container,
    ]),
  );
  for (const before of readObjects(readStruct(old['spec'])['ephemeralContainers'])) {
    const name = readText(before['name']);
    const which = `existing ephemeral containers ${JSON.stringify(name)}`;
    const container = after.get(name);
    if (!container) yield forbiddenField(FIELD, `${which} may not be removed\n`);
    else if (!semanticallyEqual(before, container, structOf(TYPE))) {
      const diff = diffInternally(before, container, TYPE);
      yield forbiddenField(FIELD, `${which} may not be changed\n${diff}`);
    }
  }
}
