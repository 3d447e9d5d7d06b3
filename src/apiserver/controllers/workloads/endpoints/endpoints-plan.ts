/**
 * Computes the Endpoints object of a Service: all of its addresses in one object, for clients that do not
 * read EndpointSlices. Above 1000 addresses it is truncated, ready addresses are kept first, and an
 * annotation says so.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readFlag, readStruct, readTexts } from '../../../../api/validation/json-reading.ts';
import { parseIp } from '../../../../lib/ip.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, withMetadata } from '../../../objects/metadata.ts';
import { isPodReady } from '../shared/pod-state.ts';
import { endpointPorts } from './endpoint-ports.ts';
import {
  endpointHostname,
  isEndpointPod,
  isHeadless,
  podIpsOf,
  podReference,
} from './service-selector.ts';
import { HEADLESS } from './slice-plan.ts';
import { packSubsets } from './subset-packing.ts';

export const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
export const ENDPOINTS_MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const ADDRESSES_MAX = 1000;

/** Without the trigger time. Null: the current object is up to date. */
export function planEndpoints(
  service: JsonObject,
  pods: readonly JsonObject[],
  current: JsonObject | undefined,
): JsonObject | null {
  const all = packSubsets(pods.flatMap((pod) => subsetsOfPod(service, pod)));
  const { subsets, isTruncated } = truncated(all);
  const old = current ?? { metadata: { name: nameOf(service) } };
  const { [OVER_CAPACITY]: _, ...others } = readStruct(metadataOf(old)['annotations']);
  const annotations = isTruncated ? { ...others, [OVER_CAPACITY]: 'truncated' } : others;
  const labels = endpointsLabels(service);
  const isSame =
    current &&
    jsonEqual(labels, labelsOf(current)) &&
    jsonEqual(annotations, readStruct(metadataOf(current)['annotations'])) &&
    jsonEqual(packSubsets(subsets), packSubsets(objectsAt(current, 'subsets')));
  if (isSame) return null;
  const hasNotes = Object.keys(annotations).length > 0;
  return {
    ...withMetadata(old, { labels, annotations: hasNotes ? annotations : undefined }),
    subsets,
  };
}

function subsetsOfPod(service: JsonObject, pod: JsonObject): readonly JsonObject[] {
  const publishesAll = readFlag(valueAt(service, 'spec.publishNotReadyAddresses'));
  if (!isEndpointPod(pod, publishesAll)) return [];
  const address = addressOf(service, pod);
  if (!address) return [];
  const list = publishesAll || isPodReady(pod) ? 'addresses' : 'notReadyAddresses';
  const subset = { [list]: [address] };
  if (objectsAt(service, 'spec.ports').length === 0) return isHeadless(service) ? [subset] : [];
  return endpointPorts(service, pod).map((port) => ({ ...subset, ports: [withoutEmpty(port)] }));
}

/** In Endpoints, a port without a name omits the field. */
function withoutEmpty(port: JsonObject): JsonObject {
  const { name, ...rest } = port;
  return name === '' ? rest : port;
}

/** Null: the pod has no address of the Service's first family. */
function addressOf(service: JsonObject, pod: JsonObject): JsonObject | null {
  const family = familyOf(service, pod);
  const ip = podIpsOf(pod)
    .map((text) => parseIp(text))
    .find((parsed) => parsed?.family === family);
  if (!ip) return null;
  const hostname = endpointHostname(pod, service);
  const nodeName = textAt(pod, 'spec.nodeName');
  return {
    ip: ip.text,
    ...(hostname !== '' && { hostname }),
    ...(nodeName !== '' && { nodeName }),
    targetRef: podReference(pod),
  };
}

function familyOf(service: JsonObject, pod: JsonObject): 4 | 6 {
  const [first] = readTexts(valueAt(service, 'spec.ipFamilies'));
  if (first !== undefined) return first === 'IPv6' ? 6 : 4;
  const ip = isHeadless(service) ? textAt(pod, 'status.podIP') : textAt(service, 'spec.clusterIP');
  return ip.includes(':') ? 6 : 4;
}

function endpointsLabels(service: JsonObject): JsonObject {
  const { [HEADLESS]: _, ...labels } = labelsOf(service);
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [ENDPOINTS_MANAGED_BY]: ENDPOINTS_MANAGER,
  };
}

/** Each subset keeps its share. Not-ready addresses are dropped first. */
function truncated(subsets: readonly JsonObject[]) {
  const count = (list: string): number =>
    subsets.reduce((sum, subset) => sum + objectsAt(subset, list).length, 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= ADDRESSES_MAX) return { subsets, isTruncated: false };
  const cutsReady = ready > ADDRESSES_MAX;
  const list = cutsReady ? 'addresses' : 'notReadyAddresses';
  const [capacity, total] = cutsReady ? [ADDRESSES_MAX, ready] : [ADDRESSES_MAX - ready, notReady];
  let left = capacity;
  const cut = subsets.map((subset) => {
    const { [list]: _all, notReadyAddresses: _notReady, ...rest } = subset;
    const addresses = objectsAt(subset, list);
    const share = Math.min(left, Math.ceil((addresses.length / total) * capacity));
    const kept = addresses.slice(0, share);
    left -= kept.length;
    return kept.length > 0 ? { ...rest, [list]: kept } : rest;
  });
  const isUsed = (subset: JsonObject): boolean =>
    objectsAt(subset, 'addresses').length + objectsAt(subset, 'notReadyAddresses').length > 0;
  return { subsets: cut.filter(isUsed), isTruncated: true };
}
