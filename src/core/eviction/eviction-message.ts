/**
 * Builds the message of an evicted pod, for its status and its Event, with the text of Kubernetes' kubelet:
 *
 *     The node was low on resource: memory. Threshold quantity: 100Mi, available: 89Mi.
 *     Container web was using 3Gi, request is 1Gi, has larger consumption of memory.
 *
 * Containers that use more than they requested are named; for inodes and process IDs none is named, and
 * ephemeral containers cannot request anything. The Event has the same facts as annotations.
 */
import {
  compareQuantities,
  quantityFromInteger,
  ZERO_QUANTITY,
  type Quantity,
} from '../../api/values/quantity.ts';
import { formatQuantity, readQuantity } from '../../api/values/quantity-text.ts';
import type { Container, Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { resourceOf, type StarvedResource } from './eviction-signal.ts';
import { thresholdAmount, type EvictionThreshold } from './eviction-threshold.ts';
import { availableAmount, type Observations } from './observation.ts';
import {
  hasPodLevelResources,
  type ContainerUsageStats,
  type EvictionCandidate,
} from './pod-usage.ts';

export interface EvictionText {
  readonly message: string;
  /** Annotations of the Event; empty: the usage of the pod is unknown. */
  readonly annotations: Readonly<Record<string, string>>;
}

interface Offender {
  readonly name: string;
  readonly used: string;
  readonly requested: string;
}

export function evictionText(
  { pod, stats }: EvictionCandidate,
  resource: StarvedResource,
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
): EvictionText {
  const low = `The node was low on resource: ${resource}. `;
  const intro = low + thresholdSentence(resource, thresholds, observations);
  if (!stats) return { message: intro, annotations: {} };
  const whole = resource === 'memory' ? wholePod(pod, stats.memoryBytes) : null;
  const offenders = stats.containers.flatMap((each) => offenderOf(pod, each, resource));
  const sentences = [
    ...(whole ? [consumption('Pod', whole, resource)] : []),
    ...offenders.map((each) => consumption('Container', each, resource)),
  ];
  return {
    message: intro + sentences.join(''),
    annotations: {
      ...(whole && { offending_pod: whole.name, offending_pod_usage: whole.used }),
      offending_containers: offenders.map(({ name }) => name).join(','),
      offending_containers_usage: offenders.map(({ used }) => used).join(','),
      starved_resource: resource,
    },
  };
}

/** Describes the first threshold of the resource whose signal was observed. */
function thresholdSentence(
  resource: StarvedResource,
  thresholds: readonly EvictionThreshold[],
  observations: Observations,
): string {
  for (const threshold of thresholds) {
    const observed = observations.get(threshold.signal);
    if (resourceOf(threshold.signal) !== resource || !observed) continue;
    const amount = formatQuantity(thresholdAmount(threshold, observed.capacity));
    const available = formatQuantity(availableAmount(threshold.signal, observed));
    return `Threshold quantity: ${amount}, available: ${available}. `;
  }
  return '';
}

function wholePod(pod: Pod, memoryBytes: number | null): Offender | null {
  const request = requestIn(pod.spec.resources?.requests, 'memory');
  if (!hasPodLevelResources(pod) || !request || memoryBytes === null) return null;
  const used = formatQuantity(bytes(memoryBytes));
  return { name: pod.metadata.name ?? '', used, requested: formatQuantity(request) };
}

function offenderOf(
  { spec }: Pod,
  stats: ContainerUsageStats,
  resource: StarvedResource,
): readonly Offender[] {
  const all: readonly Container[] = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find(({ name }) => name === stats.name);
  const used = usedOf(stats, resource);
  if (!container || used === null) return [];
  const request = requestIn(container.resources?.requests, resource) ?? ZERO_QUANTITY;
  if (compareQuantities(bytes(used), request) <= 0) return [];
  const texts = { used: formatQuantity(bytes(used)), requested: formatQuantity(request) };
  return [{ name: container.name, ...texts }];
}

/** Null: it is not known, or containers are not named for this resource. */
function usedOf(stats: ContainerUsageStats, resource: StarvedResource): number | null {
  if (resource === 'memory') return stats.memoryBytes;
  const { rootfs, logs } = stats;
  return resource === 'ephemeral-storage' && rootfs && logs ? rootfs.bytes + logs.bytes : null;
}

function consumption(what: string, { name, used, requested }: Offender, resource: string): string {
  return `${what} ${name} was using ${used}, request is ${requested}, has larger consumption of ${resource}. `;
}

function requestIn(list: ResourceList | undefined, resource: string): Quantity | null {
  const amount = list && Object.hasOwn(list, resource) ? list[resource] : undefined;
  return amount === undefined ? null : readQuantity(amount);
}

function bytes(count: number): Quantity {
  return quantityFromInteger(BigInt(Math.trunc(count)), 'BinarySI');
}
