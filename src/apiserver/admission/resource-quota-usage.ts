/**
 * Computes what one object uses of the quotas in its namespace, by the resource names of quotas.
 *
 *     pods       the pod itself, until it is finished; its requests and limits
 *     services   the service itself, its node ports, its load balancer
 *     claims     the claim itself, its requested storage; both also per storage class
 *     any kind   the object itself, as count/RESOURCE.GROUP
 */
import { parseTime } from '../../api/values/time.ts';
import {
  compareQuantities,
  quantityFromInteger,
  quantityValue,
  type Quantity,
} from '../../api/values/quantity.ts';
import type { JsonObject } from '../../lib/json.ts';
import { limitsOfPod, requestsOfPod } from '../objects/pod-requests.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { numberAt, objectsAt, structAt, textAt, valueAt } from '../objects/field-path.ts';
import { nodePortsOf } from '../kinds/networking/service-transition.ts';
import { readAmount, readAmounts } from '../../api/validation/quantities.ts';
import { metadataOf, textOf } from '../objects/metadata.ts';

export type QuotaAmounts = ReadonlyMap<string, Quantity>;

const ONE = quantityFromInteger(1);
const STORAGE_CLASS = '.storageclass.storage.k8s.io/';
const POD_NAMES: ReadonlySet<string> = new Set(
  ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
    name,
    `requests.${name}`,
    `limits.${name}`,
  ]),
);
const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];
/** Resources that quotas count by their plain name, since before count/ existed. */
const OLD_NAMES: ReadonlySet<string> = new Set([
  'configmaps',
  'resourcequotas',
  'replicationcontrollers',
  'secrets',
]);

export function usageOf(
  definition: KindDefinition,
  object: JsonObject,
  nowMs: number,
): QuotaAmounts {
  const usage = new Map([[countName(definition), ONE]]);
  switch (coreResourceOf(definition)) {
    case 'pods':
      if (isOver(object, nowMs)) return usage;
      return new Map([...usage, ['pods', ONE], ...demands(readPod(object))]);
    case 'services':
      return new Map([...usage, ['services', ONE], ...serviceUsage(structAt(object, 'spec'))]);
    case 'persistentvolumeclaims':
      return new Map([...usage, ...claimUsage(object)]);
    default:
      return isOldName(definition) ? usage.set(definition.resource, ONE) : usage;
  }
}

/** Whether a quota with this resource name counts objects of this kind. */
export function countsUnder(definition: KindDefinition, name: string): boolean {
  if (name === countName(definition)) return true;
  switch (coreResourceOf(definition)) {
    case 'pods':
      return name === 'pods' || POD_NAMES.has(name) || isScalar(name);
    case 'services':
      return name === 'services' || name.startsWith('services.');
    case 'persistentvolumeclaims':
      return CLAIM_NAMES.some((one) => name === one || name.endsWith(`${STORAGE_CLASS}${one}`));
    default:
      return isOldName(definition) && name === definition.resource;
  }
}

/**
 * A message that lists the resources that the quota counts and a container does not set. Null: there are
 * none.
 */
export function missingDemand(pod: JsonObject, names: readonly string[]): string | null {
  if (Object.keys(structAt(pod, 'spec.resources')).length > 0) return null;
  const needed = names.filter((name) => /^(?:requests\.|limits\.)?(?:cpu|memory)$/.test(name));
  const containers = [
    ...objectsAt(pod, 'spec.containers'),
    ...objectsAt(pod, 'spec.initContainers'),
  ];
  const problems = needed.toSorted().flatMap((name) => {
    const silent = containers
      .filter((container) => !demands(readContainer(container)).has(name))
      .map((container) => textOf(container['name']));
    return silent.length === 0 ? [] : `${name} for: ${[...new Set(silent)].toSorted().join(',')}`;
  });
  return problems.length === 0 ? null : `must specify ${problems.join('; ')}`;
}

export function countName({ group, resource }: KindDefinition): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Whether the pod is finished, or terminating for longer than its grace period. */
function isOver(pod: JsonObject, nowMs: number): boolean {
  if (['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase'))) return true;
  const overMs = overdueMs(pod);
  return overMs !== null && nowMs > overMs;
}

/** When a terminating pod stops counting. Null: it is not being deleted. */
export function overdueMs(pod: JsonObject): number | null {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(pod);
  const time = textOf(deletionTimestamp);
  if (time === '' || typeof deletionGracePeriodSeconds !== 'number') return null;
  return parseTime(time).ms + deletionGracePeriodSeconds * 1000;
}

interface Demand {
  readonly requests: QuotaAmounts;
  readonly limits: QuotaAmounts;
}

function readPod(pod: JsonObject): Demand {
  return { requests: readAmounts(requestsOfPod(pod)), limits: readAmounts(limitsOfPod(pod)) };
}

function readContainer(container: JsonObject): Demand {
  const { requests, limits } = structAt(container, 'resources');
  return { requests: readAmounts(requests), limits: readAmounts(limits) };
}

/**
 * Common requests count under both of their names, such as `cpu` and `requests.cpu`. Of extended resources
 * only requests count.
 */
function demands({ requests, limits }: Demand): Map<string, Quantity> {
  const usage = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    const isCommon = POD_NAMES.has(name);
    if (isCommon || name.startsWith('hugepages-')) usage.set(name, amount);
    if (isCommon || isScalar(`requests.${name}`)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) {
    if (POD_NAMES.has(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

/** Whether the name is that of huge pages or of an extended resource. */
function isScalar(name: string): boolean {
  if (/^(?:requests\.)?hugepages-/.test(name)) return true;
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return !isNative && name.startsWith('requests.');
}

function serviceUsage(spec: JsonObject): QuotaAmounts {
  const isBalanced = spec['type'] === 'LoadBalancer';
  const hasAll =
    spec['type'] === 'NodePort' || (isBalanced && spec['allocateLoadBalancerNodePorts'] !== false);
  const some = isBalanced ? nodePortsOf(spec).length : 0;
  const nodePorts = hasAll ? objectsAt(spec, 'ports').length : some;
  return new Map([
    ['services.loadbalancers', quantityFromInteger(isBalanced ? 1 : 0)],
    ['services.nodeports', quantityFromInteger(nodePorts)],
  ]);
}

function claimUsage(claim: JsonObject): QuotaAmounts {
  const usage = new Map([['persistentvolumeclaims', ONE]]);
  const storage = storageOf(claim);
  if (storage) usage.set('requests.storage', storage);
  const storageClass = storageClassOf(claim);
  if (storageClass === '') return usage;
  const byClass = [...usage].map(
    ([name, amount]) => [`${storageClass}${STORAGE_CLASS}${name}`, amount] as const,
  );
  return new Map([...usage, ...byClass]);
}

/** In whole units. If more than the request is allocated, the allocation counts. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const wanted = valueAt(claim, 'spec.resources.requests.storage');
  if (wanted === undefined) return undefined;
  const [request, allocated] = [
    readAmount(wanted),
    readAmount(valueAt(claim, 'status.allocatedResources.storage')),
  ];
  const most = compareQuantities(allocated, request) > 0 ? allocated : request;
  return quantityFromInteger(quantityValue(most), most.format);
}

function storageClassOf(claim: JsonObject): string {
  const annotated = structAt(claim, 'metadata.annotations')[
    'volume.beta.kubernetes.io/storage-class'
  ];
  return textOf(annotated) || textAt(claim, 'spec.storageClassName');
}

function coreResourceOf({ group, resource }: KindDefinition): string {
  return group === '' ? resource : '';
}

function isOldName({ group, resource }: KindDefinition): boolean {
  return group === '' && OLD_NAMES.has(resource);
}

/** Whether the pod has activeDeadlineSeconds. */
export function hasDeadline(pod: JsonObject): boolean {
  return (
    typeof valueAt(pod, 'spec.activeDeadlineSeconds') === 'number' &&
    numberAt(pod, 'spec.activeDeadlineSeconds') >= 0
  );
}
