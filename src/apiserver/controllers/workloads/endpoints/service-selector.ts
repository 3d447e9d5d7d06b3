/** Determines which pods belong to a Service, and which changes of a pod affect its endpoints. */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readStruct, readText } from '../../../../api/validation/json-reading.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { isPodDone, isPodReady } from '../shared/pod-state.ts';
import { labelMapMatcher } from '../shared/workload-selector.ts';

/** False: a client writes the endpoints of the Service, or it has none. */
export function hasPodSelector(service: JsonObject): boolean {
  const selector = readStruct(structAt(service, 'spec')['selector']);
  return Object.keys(selector).length > 0 && textAt(service, 'spec.type') !== 'ExternalName';
}

export function serviceMatcher(service: JsonObject): (pod: JsonObject) => boolean {
  return labelMapMatcher(structAt(service, 'spec.selector'));
}

/** Whether the change of a pod can change endpoints. */
export function areEndpointsAffected(before: JsonObject, after: JsonObject): boolean {
  return !jsonEqual(endpointFacts(before), endpointFacts(after));
}

function endpointFacts(pod: JsonObject): Json {
  return [
    labelsOf(pod),
    podIpsOf(pod),
    textAt(pod, 'spec.hostname'),
    textAt(pod, 'spec.subdomain'),
    textAt(pod, 'spec.nodeName'),
    isBeingDeleted(pod),
    isPodReady(pod),
    isPodDone(pod),
  ];
}

export function podIpsOf(pod: JsonObject): readonly string[] {
  return objectsAt(pod, 'status.podIPs').map(({ ip }) => readText(ip));
}

/** A pod that is finished or has no address yet is not an endpoint. */
export function isEndpointPod(pod: JsonObject, includesTerminating: boolean): boolean {
  if (isPodDone(pod)) return false;
  if (podIpsOf(pod).length === 0) return false;
  return includesTerminating || !isBeingDeleted(pod);
}

/** Empty: the endpoint has no DNS name of its own. */
export function endpointHostname(pod: JsonObject, service: JsonObject): string {
  const isOwnSubdomain = textAt(pod, 'spec.subdomain') === nameOf(service);
  return isOwnSubdomain ? textAt(pod, 'spec.hostname') : '';
}

export function podReference(pod: JsonObject): JsonObject {
  const { namespace, name, uid } = metadataOf(pod);
  return { kind: 'Pod', namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

export function isHeadless(service: JsonObject): boolean {
  return ['', 'None'].includes(textAt(service, 'spec.clusterIP'));
}
