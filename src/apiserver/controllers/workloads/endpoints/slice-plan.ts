/**
 * Decides which EndpointSlices of a Service are created, updated and deleted.
 *
 * Slices are grouped by address type and ports: pods whose named ports have different numbers are in
 * different slices. A Service without endpoints has one empty placeholder slice of each address type.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readFlag } from '../../../../api/validation/json-reading.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { services } from '../../../kinds/networking/service.ts';
import { objectsAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, withMetadata } from '../../../objects/metadata.ts';
import { ownersOf, uidOf } from '../../garbage/owner-reference.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { endpointPorts, portsKey } from './endpoint-ports.ts';
import { addressTypesOf, podEndpoint, type AddressType } from './pod-endpoint.ts';
import { isEndpointPod, isHeadless } from './service-selector.ts';
import { placeEndpoints } from './slice-placement.ts';
import { withHints } from './traffic-hints.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const SLICE_MANAGER = 'endpointslice-controller.k8s.io';
export const HEADLESS = 'service.kubernetes.io/headless';

export interface ServiceView {
  readonly service: JsonObject;
  /** The pods that the Service selects. */
  readonly pods: readonly JsonObject[];
  readonly nodeOf: (name: string) => JsonObject | undefined;
  /** The slices of this Service that this controller manages. */
  readonly slices: readonly JsonObject[];
}

export interface SlicePlan {
  readonly create: readonly JsonObject[];
  readonly update: readonly SliceUpdate[];
  readonly remove: readonly JsonObject[];
  /** Why pods are omitted. */
  readonly problems: readonly string[];
}

export interface SliceUpdate {
  readonly seen: JsonObject;
  readonly wanted: JsonObject;
}

const RESERVED: ReadonlySet<string> = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
const NAME_MAX = 253;

interface Group {
  readonly ports: readonly JsonObject[];
  readonly endpoints: JsonObject[];
  readonly slices: JsonObject[];
}

export function planSlices(view: ServiceView): SlicePlan {
  const types = addressTypesOf(view.service);
  const isServed = (slice: JsonObject): boolean =>
    types.some((type) => textAt(slice, 'addressType') === type);
  const plans = types.map((type) => planType(view, type));
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    remove: [
      ...view.slices.filter((slice) => !isServed(slice)),
      ...plans.flatMap(({ remove }) => remove),
    ],
    problems: [...new Set(plans.flatMap(({ problems }) => problems))],
  };
}

function planType(view: ServiceView, type: AddressType): SlicePlan {
  const { service } = view;
  const existing = view.slices.filter((slice) => textAt(slice, 'addressType') === type);
  const { groups, problems } = groupPods(view, type);
  const foreign: JsonObject[] = [];
  for (const slice of existing) {
    const key = portsKey(objectsAt(slice, 'ports'));
    if (!isOwnedBy(slice, service)) foreign.push(slice);
    else group(groups, key, objectsAt(slice, 'ports')).slices.push(slice);
  }
  const create: JsonObject[] = [];
  const update: SliceUpdate[] = [];
  const remove: JsonObject[] = [];
  for (const { ports, endpoints, slices } of groups.values()) {
    if (endpoints.length === 0) {
      remove.push(...slices);
      continue;
    }
    const placed = placeEndpoints(slices, endpoints);
    create.push(...placed.create.map((some) => newSlice(service, type, ports, some)));
    const changed = placed.update.map((one) => renewed(one.slice, service, one.endpoints));
    const kept = placed.keep.map((slice) => renewed(slice, service, objectsAt(slice, 'endpoints')));
    update.push(...changed, ...kept.filter(({ seen, wanted }) => !jsonEqual(seen, wanted)));
    remove.push(...placed.remove);
  }
  return reuse(service, { create, update, remove, problems }, { type, existing, foreign });
}

/** A slice that would be deleted is updated instead with the content of one that would be created. */
function reuse(
  service: JsonObject,
  plan: SlicePlan,
  {
    type,
    existing,
    foreign,
  }: { type: AddressType; existing: readonly JsonObject[]; foreign: readonly JsonObject[] },
): SlicePlan {
  const isEmpty =
    plan.create.length === 0 && plan.remove.length + foreign.length === existing.length;
  const create = isEmpty ? [newSlice(service, type, [], [])] : [...plan.create];
  const update = [...plan.update];
  const remove: JsonObject[] = [...foreign];
  for (const old of plan.remove) {
    const wanted = create.pop();
    if (wanted) update.push({ seen: old, wanted: withContent(old, wanted) });
    else remove.push(old);
  }
  // The placeholder may already exist.
  const changed = update.filter(({ seen, wanted }) => !jsonEqual(seen, wanted));
  return { create, update: changed, remove, problems: plan.problems };
}

function groupPods({ service, pods, nodeOf }: ServiceView, type: AddressType) {
  const groups = new Map<string, Group>();
  const problems: string[] = [];
  const publishesAll = readFlag(valueAt(service, 'spec.publishNotReadyAddresses'));
  for (const pod of pods) {
    if (!isEndpointPod(pod, true)) continue;
    const nodeName = textAt(pod, 'spec.nodeName');
    const node = nodeOf(nodeName);
    if (!node && !publishesAll) {
      const name = `${textAt(service, 'metadata.namespace')}/${nameOf(service)}`;
      problems.push(`skipping Pod ${nameOf(pod)} for Service ${name}: Node ${nodeName} Not Found`);
      continue;
    }
    const ports = endpointPorts(service, pod);
    const endpoint = podEndpoint(pod, node, service, type);
    if (endpoint) group(groups, portsKey(ports), ports).endpoints.push(endpoint);
  }
  return { groups, problems };
}

function group(groups: Map<string, Group>, key: string, ports: readonly JsonObject[]): Group {
  const found = groups.get(key) ?? { ports, endpoints: [], slices: [] };
  groups.set(key, found);
  return found;
}

function newSlice(
  service: JsonObject,
  addressType: AddressType,
  ports: readonly JsonObject[],
  endpoints: readonly JsonObject[],
): JsonObject {
  return {
    metadata: {
      generateName: slicePrefix(nameOf(service)),
      labels: sliceLabels(service),
      ownerReferences: [newControllerRef(services, service)],
    },
    addressType,
    ports,
    endpoints: endpoints.map((endpoint) => withHints(endpoint, service)),
  };
}

/** Ends in a dash, unless that would make the name too long. */
export function slicePrefix(name: string): string {
  return name.length < NAME_MAX ? `${name}-` : name;
}

function renewed(
  slice: JsonObject,
  service: JsonObject,
  endpoints: readonly JsonObject[],
): SliceUpdate {
  const labels = sliceLabels(service);
  const labelled = jsonEqual(labels, labelsOf(slice)) ? slice : withMetadata(slice, { labels });
  const hinted = endpoints.map((endpoint) => withHints(endpoint, service));
  const isSame = jsonEqual(hinted, objectsAt(slice, 'endpoints'));
  return { seen: slice, wanted: isSame ? labelled : { ...labelled, endpoints: hinted } };
}

function withContent(old: JsonObject, wanted: JsonObject): JsonObject {
  const { labels = {} } = metadataOf(wanted);
  const isSameLabels = jsonEqual(labels, labelsOf(old));
  const labelled = isSameLabels ? old : withMetadata(old, { labels });
  const changed: Record<string, Json> = { ...labelled };
  for (const list of ['ports', 'endpoints']) {
    const items = objectsAt(wanted, list);
    if (items.length > 0 || objectsAt(old, list).length > 0) changed[list] = items;
  }
  return changed;
}

/** The labels of the Service, and the reserved labels. */
function sliceLabels(service: JsonObject): JsonObject {
  const own = Object.entries(labelsOf(service)).filter(([key]) => !RESERVED.has(key));
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [SERVICE_NAME]: nameOf(service),
    [MANAGED_BY]: SLICE_MANAGER,
  };
}

function isOwnedBy(slice: JsonObject, service: JsonObject): boolean {
  return ownersOf(slice).some(
    ({ uid, kind, apiVersion }) =>
      uid === uidOf(service) && kind === 'Service' && apiVersion === 'v1',
  );
}
