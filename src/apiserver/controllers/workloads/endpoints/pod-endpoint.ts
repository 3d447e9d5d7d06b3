/** Converts a pod to an endpoint of an EndpointSlice. */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import {
  readFlag,
  readStruct,
  readText,
  readTexts,
} from '../../../../api/validation/json-reading.ts';
import { parseIp } from '../../../../lib/ip.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { isPodReady } from '../shared/pod-state.ts';
import { endpointHostname, isHeadless, podIpsOf, podReference } from './service-selector.ts';

export type AddressType = 'IPv4' | 'IPv6';

const ZONE = 'topology.kubernetes.io/zone';

/** From the Service's ipFamilies. Without them, the family of its cluster IP, or both if it has none. */
export function addressTypesOf(service: JsonObject): readonly AddressType[] {
  const families = readTexts(valueAt(service, 'spec.ipFamilies'));
  const given = (['IPv4', 'IPv6'] as const).filter((family) => families.includes(family));
  if (given.length > 0) return given;
  if (isHeadless(service)) return ['IPv4', 'IPv6'];
  return [textAt(service, 'spec.clusterIP').includes(':') ? 'IPv6' : 'IPv4'];
}

/** Null: the pod has no address of this type. */
export function podEndpoint(
  pod: JsonObject,
  node: JsonObject | undefined,
  service: JsonObject,
  type: AddressType,
): JsonObject | null {
  const addresses = podIpsOf(pod).flatMap((text) => {
    const ip = parseIp(text);
    return ip && `IPv${ip.family}` === type ? [ip.text] : [];
  });
  if (addresses.length === 0) return null;
  const nodeName = textAt(pod, 'spec.nodeName');
  const zone = node ? (labelsOf(node)[ZONE] ?? '') : '';
  const hostname = endpointHostname(pod, service);
  return {
    addresses,
    conditions: conditionsOf(pod, service),
    ...(hostname !== '' && { hostname }),
    ...(nodeName !== '' && { nodeName }),
    targetRef: podReference(pod),
    ...(zone !== '' && { zone }),
  };
}

/** A terminating pod is never ready, unless the Service publishes not-ready addresses. */
function conditionsOf(pod: JsonObject, service: JsonObject): JsonObject {
  const serving = isPodReady(pod);
  const terminating = isBeingDeleted(pod);
  const isPublished = readFlag(valueAt(service, 'spec.publishNotReadyAddresses'));
  return { ready: isPublished || (serving && !terminating), serving, terminating };
}

/** Identifies an endpoint, whatever its conditions are. */
export function endpointKey(endpoint: JsonObject): string {
  const target = readStruct(endpoint['targetRef']);
  return JSON.stringify([
    readTexts(endpoint['addresses']).toSorted(),
    readText(endpoint['hostname']),
    readText(target['namespace']),
    readText(target['name']),
  ]);
}

/** Compares the fields that are not part of the key, except hints and resourceVersions. */
export function isSameEndpoint(left: JsonObject, right: JsonObject): boolean {
  return jsonEqual(changeable(left), changeable(right));
}

function changeable(endpoint: JsonObject): Json {
  const { ready = null, serving = null, terminating = null } = readStruct(endpoint['conditions']);
  const { kind = '', uid = '' } = readStruct(endpoint['targetRef']);
  const { nodeName = null, zone = null } = endpoint;
  return [ready, serving, terminating, kind, uid, nodeName, zone];
}
