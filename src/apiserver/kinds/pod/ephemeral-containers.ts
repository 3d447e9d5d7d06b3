/**
 * The subresource `ephemeralcontainers`: the only way to add a container to a pod that runs. It can
 * add and nothing else: what looks at a pod cannot be changed or taken away.
 */
import { structOf } from '../../../api/schema/schema.ts';
import { semanticallyEqual } from '../../../api/semantic-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import { forbidden, type Complaints } from '../validation/complaint.ts';
import { withFieldOf } from '../validation/json-changes.ts';
import { readObjects, readStruct, readText, readTextMap } from '../validation/json-reading.ts';
import { MIRROR_POD } from './annotations.ts';
import { bumpGeneration } from './generation.ts';
import { diffInternally } from './internal-diff.ts';
import { keepMetadata } from './kept-metadata.ts';
import { checkAnnotationUpdate, checkPod } from './validation.ts';

const FIELD = 'spec.ephemeralContainers';
const TYPE = 'core/v1.EphemeralContainer';

/** The old pod with the new ephemeral containers. */
export function prepareEphemeralUpdate(pod: JsonObject, old: JsonObject): JsonObject {
  const spec = withFieldOf(readStruct(old['spec']), 'ephemeralContainers', readStruct(pod['spec']));
  const next = withFieldOf({ ...pod, metadata: keepMetadata(pod, old), spec }, 'status', old);
  return bumpGeneration(next, old);
}

export function validateEphemeralUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const annotations = readTextMap(readStruct(old['metadata'])['annotations']);
  if (annotations.has(MIRROR_POD)) {
    return [forbidden('[]', 'static pods do not support ephemeral containers')];
  }
  return [...checkPod(pod, old), ...checkAnnotationUpdate(pod, old), ...checkKept(pod, old)];
}

function* checkKept(pod: JsonObject, old: JsonObject): Complaints {
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
    if (!container) yield forbidden(FIELD, `${which} may not be removed\n`);
    else if (!semanticallyEqual(before, container, structOf(TYPE))) {
      const diff = diffInternally(before, container, TYPE);
      yield forbidden(FIELD, `${which} may not be changed\n${diff}`);
    }
  }
}
