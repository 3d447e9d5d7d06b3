/**
 * Resolves the Service reference of a webhook to an address. No kube-proxy runs here, so the API server does
 * it itself:
 *
 *     Service ──> its port ──> ready addresses of EndpointSlices, or of Endpoints
 *                          └─> without either (no endpoint controller runs): ready pods that it selects
 *
 * Which addresses are allowed (docs/decisions/0009-service-references.md):
 * 1. A Service with a selector: addresses of pods of its namespace only, as the pods report them. A loopback
 *    address counts only if the node of this process gave it to that pod.
 * 2. A Service without a selector: the addresses of its EndpointSlices or Endpoints, if they belong to
 *    another machine. The certificate must be valid for NAME.NAMESPACE.svc.
 * 3. ExternalName: none; a webhook outside the cluster must use `url`.
 */
import { matchesLabels, selectorFromObject } from '../../../api/values/label-selector.ts';
import { isGlobalUnicast, isLoopback } from '../../../lib/global-unicast.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  readNumber,
  readStruct,
  readText,
  readTextMap,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import type { KubeletDialer } from '../../../ports/api/kubelet-dialer.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { Random } from '../../../ports/random.ts';
import { pods } from '../../kinds/core/pods.ts';
import { endpointSlices } from '../../kinds/networking/endpoint-slice.ts';
import { endpoints } from '../../kinds/networking/endpoints.ts';
import { services } from '../../kinds/networking/service.ts';
import { objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import { labelsOf } from '../../objects/object-labels.ts';
import { metadataOf, nameOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';

export interface EndpointDeps {
  readonly store: ObjectStore;
  readonly random: Random;
  readonly dialer?: Pick<KubeletDialer, 'loopbackAddressesOf'> | undefined;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** The pod that the endpoint names; empty: none. */
  readonly pod: string;
}

/** Throws an Error that says why there is no endpoint. */
export async function resolveService(
  deps: EndpointDeps,
  reference: ServiceReference,
): Promise<Endpoint> {
  const { namespace, name, port: number } = reference;
  const service = deps.store.get(keyOf({ definition: services, namespace, name }))?.value;
  if (!service) throw new Error(`service ${JSON.stringify(name)} not found`);
  const type = textAt(service, 'spec.type');
  if (type === 'ExternalName') throw new Error(`unsupported service type ${JSON.stringify(type)}`);
  const port = objectsAt(service, 'spec.ports').find((one) => one['port'] === number);
  if (!port) {
    throw new Error(`no service port ${number} found for service ${JSON.stringify(name)}`);
  }
  const found = [...candidates(deps.store, service, namespace, port)];
  const start = Math.floor(deps.random.next() * found.length);
  for (const endpoint of [...found.slice(start), ...found.slice(0, start)]) {
    if (await isAllowed(deps, service, namespace, endpoint)) return endpoint;
  }
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}

function candidates(
  store: ObjectStore,
  service: JsonObject,
  namespace: string,
  port: JsonObject,
): readonly Endpoint[] {
  const name = nameOf(service);
  const slices = store
    .list(prefixOf(endpointSlices, namespace))
    .objects.map(({ value }) => value)
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === name);
  const portName = readText(port['name']);
  if (slices.length > 0) return slices.flatMap((slice) => ofSlice(slice, portName));
  const listed = store.get(keyOf({ definition: endpoints, namespace, name }))?.value;
  if (listed) return objectsAt(listed, 'subsets').flatMap((subset) => ofSubset(subset, portName));
  return ofPods(store, service, namespace, port);
}

function ofSlice(slice: JsonObject, portName: string): readonly Endpoint[] {
  const ports = objectsAt(slice, 'ports').filter((one) => readText(one['name']) === portName);
  const ready = objectsAt(slice, 'endpoints').filter(
    (one) => structAt(one, 'conditions')['ready'] !== false,
  );
  return ready.flatMap((one) =>
    readTexts(one['addresses']).flatMap((host) =>
      ports.map((port) => ({ host, port: readNumber(port['port']), pod: podOf(one) })),
    ),
  );
}

function ofSubset(subset: JsonObject, portName: string): readonly Endpoint[] {
  const ports = objectsAt(subset, 'ports').filter((one) => readText(one['name']) === portName);
  return objectsAt(subset, 'addresses').flatMap((one) =>
    ports.map((port) => ({
      host: readText(one['ip']),
      port: readNumber(port['port']),
      pod: podOf(one),
    })),
  );
}

function podOf(endpoint: JsonObject): string {
  const target = structAt(endpoint, 'targetRef');
  return readText(target['kind']) === 'Pod' ? readText(target['name']) : '';
}

function ofPods(
  store: ObjectStore,
  service: JsonObject,
  namespace: string,
  port: JsonObject,
): readonly Endpoint[] {
  if (!hasSelector(service)) return [];
  const selector = selectorFromObject({
    matchLabels: Object.fromEntries(readTextMap(structAt(service, 'spec')['selector'])),
  });
  return store
    .list(prefixOf(pods, namespace))
    .objects.map(({ value }) => value)
    .filter((pod) => matchesLabels(selector, labelsOf(pod)) && isReady(pod))
    .map((pod) => ({
      host: textAt(pod, 'status.podIP'),
      port: targetPortOf(pod, port),
      pod: nameOf(pod),
    }))
    .filter(({ host, port: number }) => host !== '' && number > 0);
}

function isReady(pod: JsonObject): boolean {
  const isReadyNow = objectsAt(pod, 'status.conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  return isReadyNow && metadataOf(pod)['deletionTimestamp'] === undefined;
}

/** A number, the name of a container's port, or the port of the Service itself. */
function targetPortOf(pod: JsonObject, port: JsonObject): number {
  const { targetPort } = port;
  if (typeof targetPort === 'number') return targetPort;
  const name = readText(targetPort);
  if (name === '') return readNumber(port['port']);
  const named = objectsAt(pod, 'spec.containers')
    .flatMap((container) => objectsAt(container, 'ports'))
    .find((one) => readText(one['name']) === name);
  return readNumber(named?.['containerPort']);
}

async function isAllowed(
  { store, dialer }: EndpointDeps,
  service: JsonObject,
  namespace: string,
  { host, pod: name }: Endpoint,
): Promise<boolean> {
  if (!hasSelector(service)) return isGlobalUnicast(host);
  const pod = store.get(keyOf({ definition: pods, namespace, name }))?.value;
  if (!pod) return false;
  const ips = objectsAt(pod, 'status.podIPs').map(({ ip }) => readText(ip));
  if (![...ips, textAt(pod, 'status.podIP')].includes(host)) return false;
  if (!isLoopback(host)) return isGlobalUnicast(host);
  return ((await dialer?.loopbackAddressesOf?.(namespace, name)) ?? []).includes(host);
}

function hasSelector(service: JsonObject): boolean {
  return Object.keys(readStruct(structAt(service, 'spec')['selector'])).length > 0;
}
