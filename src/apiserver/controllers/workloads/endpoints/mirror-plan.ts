/**
 * Computes the EndpointSlices that mirror the Endpoints of a Service without a selector: one for each list of
 * ports and each address family, with at most 1000 addresses.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readStruct, readText } from '../../../../api/validation/json-reading.ts';
import { parseIp } from '../../../../lib/ip.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { endpoints as endpointsKind } from '../../../kinds/networking/endpoints.ts';
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, withMetadata } from '../../../objects/metadata.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { portsKey } from './endpoint-ports.ts';
import { endpointKey, isSameEndpoint } from './pod-endpoint.ts';
import { MANAGED_BY, SERVICE_NAME, slicePrefix, type SliceUpdate } from './slice-plan.ts';
import { packSubsets } from './subset-packing.ts';
import { TRIGGER_TIME } from './trigger-time.ts';

export const MIRROR_MANAGER = 'endpointslicemirroring-controller.k8s.io';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const ADDRESSES_MAX = 1000;

export interface MirrorPlan {
  readonly create: readonly JsonObject[];
  readonly update: readonly SliceUpdate[];
  readonly remove: readonly JsonObject[];
  /** The number of addresses that are not IP addresses or exceed the limit. */
  readonly invalid: number;
  readonly skipped: number;
}

interface Wanted {
  readonly addressType: string;
  readonly ports: readonly JsonObject[];
  readonly endpoints: Map<string, JsonObject>;
}

/** `slices`: the slices that already mirror these Endpoints. */
export function planMirror(object: JsonObject, slices: readonly JsonObject[]): MirrorPlan {
  const { groups, invalid, skipped } = groupAddresses(object);
  const create: JsonObject[] = [];
  const update: SliceUpdate[] = [];
  const spare: JsonObject[] = [];
  const left = new Map(groups);
  for (const slice of slices) {
    const key = groupKey(textAt(slice, 'addressType'), objectsAt(slice, 'ports'));
    const wanted = left.get(key);
    left.delete(key);
    if (!wanted) spare.push(slice);
    else if (!isUpToDate(slice, object, wanted)) {
      update.push({ seen: slice, wanted: mirrored(slice, object, wanted) });
    }
  }
  for (const wanted of left.values()) {
    const index = spare.findIndex((slice) => textAt(slice, 'addressType') === wanted.addressType);
    const [seen] = index === -1 ? [] : spare.splice(index, 1);
    if (seen) update.push({ seen, wanted: mirrored(seen, object, wanted) });
    else create.push(mirrored(newMirror(object), object, wanted));
  }
  return { create, update, remove: spare, invalid, skipped };
}

function groupAddresses(object: JsonObject) {
  const groups = new Map<string, Wanted>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of packSubsets(objectsAt(object, 'subsets'))) {
    const ports = objectsAt(subset, 'ports').map(slicePort);
    const ready = objectsAt(subset, 'addresses').map((address) => [address, true] as const);
    const others = objectsAt(subset, 'notReadyAddresses').map(
      (address) => [address, false] as const,
    );
    let added = 0;
    for (const [address, isReady] of [...ready, ...others]) {
      const ip = parseIp(readText(address['ip']));
      if (added >= ADDRESSES_MAX) skipped += 1;
      else if (!ip) invalid += 1;
      else {
        const addressType = `IPv${ip.family}`;
        const key = groupKey(addressType, ports);
        const wanted = groups.get(key) ?? { addressType, ports, endpoints: new Map() };
        const endpoint = endpointOf(address, ip.text, isReady);
        groups.set(key, wanted);
        wanted.endpoints.set(endpointKey(endpoint), endpoint);
        added += 1;
      }
    }
  }
  return { groups, invalid, skipped: skipped + invalid };
}

function groupKey(addressType: string, ports: readonly JsonObject[]): string {
  return `${addressType} ${portsKey(ports)}`;
}

function slicePort({ name = '', ...rest }: JsonObject): JsonObject {
  return { name, ...rest };
}

function endpointOf(address: JsonObject, ip: string, ready: boolean): JsonObject {
  const { targetRef, nodeName } = address;
  const hostname = readText(address['hostname']);
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== '' && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  };
}

function isUpToDate(slice: JsonObject, object: JsonObject, { endpoints }: Wanted): boolean {
  const found = objectsAt(slice, 'endpoints');
  const isSameList =
    found.length === endpoints.size &&
    found.every((old) => {
      const endpoint = endpoints.get(endpointKey(old));
      return endpoint !== undefined && isSameEndpoint(old, endpoint);
    });
  const fields = mirrorMetadata(object);
  const { labels, annotations, ownerReferences } = metadataOf(slice);
  return (
    isSameList &&
    jsonEqual(fields.labels, readStruct(labels)) &&
    jsonEqual(fields.annotations, readStruct(annotations)) &&
    jsonEqual(fields.ownerReferences, ownerReferences ?? [])
  );
}

function newMirror(object: JsonObject): JsonObject {
  return { metadata: { generateName: slicePrefix(nameOf(object)) } };
}

function mirrored(
  base: JsonObject,
  object: JsonObject,
  { addressType, ports, endpoints }: Wanted,
): JsonObject {
  const changed = withMetadata(base, mirrorMetadata(object));
  return { ...changed, addressType, ports, endpoints: [...endpoints.values()] };
}

function mirrorMetadata(object: JsonObject) {
  const given = Object.entries(readStruct(metadataOf(object)['annotations']));
  const annotations: JsonObject = Object.fromEntries(
    given.filter(([key]) => key !== TRIGGER_TIME && key !== LAST_APPLIED),
  );
  const labels: JsonObject = {
    ...labelsOf(object),
    [SERVICE_NAME]: nameOf(object),
    [MANAGED_BY]: MIRROR_MANAGER,
  };
  return { labels, annotations, ownerReferences: [newControllerRef(endpointsKind, object)] };
}
