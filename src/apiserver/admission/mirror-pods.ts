/**
 * Refuses mirror pods that refer to API objects. A mirror pod represents a static pod, which runs on its node
 * whatever the API says, so it must need nothing from the API. This is the last check: a client without
 * permission to write the pod gets the error about that instead.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { secretsOf } from './pod-references.ts';
import { objectsAt, textAt } from '../objects/field-path.ts';
import { metadataOf, nameOf } from '../objects/metadata.ts';
import { forbidden } from '../objects/status.ts';
import { isNewPod, type Admission } from '../registry/admission.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export const mirrorPods: Admission = {
  admit(request) {
    const { definition, object } = request;
    if (!isNewPod(request) || !isMirrorPod(object)) return object;
    const obstacle = obstacleOf(object);
    if (obstacle !== undefined) throw forbidden(definition, nameOf(object), obstacle);
    return object;
  },
};

export function isMirrorPod(pod: JsonObject): boolean {
  const { annotations } = metadataOf(pod);
  return isJsonObject(annotations) && annotations[MIRROR_ANNOTATION] !== undefined;
}

function obstacleOf(pod: JsonObject): string | undefined {
  if (textAt(pod, 'spec.serviceAccountName') !== '') {
    return 'a mirror pod may not reference service accounts';
  }
  if (secretsOf(pod).length > 0) return 'a mirror pod may not reference secrets';
  return objectsAt(pod, 'spec.volumes').some(holdsToken)
    ? 'a mirror pod may not use ServiceAccountToken volume projections'
    : undefined;
}

function holdsToken(volume: JsonObject): boolean {
  return objectsAt(volume, 'projected.sources').some((source) => 'serviceAccountToken' in source);
}
