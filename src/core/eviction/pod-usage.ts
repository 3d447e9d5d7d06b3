/**
 * Computes the usage of a pod (in the terms of the kubelet's Summary API) and its requests, for the eviction
 * ranking.
 *
 * If a pod has pod-level resources, only these count as its requests, as in Kubernetes' kubelet: requests of
 * its containers, such as for ephemeral storage, are ignored.
 */
import { isZeroQuantity, ZERO_QUANTITY, type Quantity } from '../../api/values/quantity.ts';
import type { Pod, PodSpec } from '../../api/pod.ts';
import { podRequests } from '../resources/pod-resources.ts';
import { addAmounts, amountsOf } from '../../api/values/resource-amounts.ts';
import type { DiskPart } from './file-system-layout.ts';

/** Null: it is not known. */
export interface PodUsageStats {
  /** The working set. */
  readonly memoryBytes: number | null;
  readonly processes: number | null;
  /** Of those that run. */
  readonly containers: readonly ContainerUsageStats[];
  readonly volumes: readonly VolumeUsageStats[];
}

export interface ContainerUsageStats {
  readonly name: string;
  readonly memoryBytes: number | null;
  /** The writable layer. */
  readonly rootfs: DiskStats | null;
  readonly logs: DiskStats | null;
}

export interface VolumeUsageStats extends DiskStats {
  readonly name: string;
}

export interface DiskStats {
  readonly bytes: number;
  readonly inodes: number;
}

/** An active pod, as the eviction manager ranks it. */
export interface EvictionCandidate {
  /** With its allocated resources. */
  readonly pod: Pod;
  /** Null: nothing is known of the pod. */
  readonly stats: PodUsageStats | null;
}

interface Volume {
  readonly name: string;
  readonly hostPath?: object;
  readonly emptyDir?: { readonly medium?: string };
  readonly configMap?: object;
  readonly gitRepo?: object;
}

interface PodSpecWithVolumes extends PodSpec {
  readonly volumes?: readonly Volume[];
}

/** The sum over the parts, of bytes or of inodes. */
export function diskUsage(
  { pod, stats }: EvictionCandidate,
  parts: readonly DiskPart[],
  unit: keyof DiskStats,
): number {
  if (!stats) return 0;
  const local = parts.includes('volumes') ? localVolumes(pod) : new Set<string>();
  const counted = [
    ...stats.containers.flatMap(({ rootfs, logs }) => [
      parts.includes('writable-layers') ? rootfs : null,
      parts.includes('logs') ? logs : null,
    ]),
    ...stats.volumes.filter(({ name }) => local.has(name)),
  ];
  return counted.reduce((sum, part) => sum + (part?.[unit] ?? 0), 0);
}

/** The volumes that are on the node's own disk. */
export function localVolumes(pod: Pod): ReadonlySet<string> {
  const { volumes = [] }: PodSpecWithVolumes = pod.spec;
  return new Set(volumes.filter(isLocal).map(({ name }) => name));
}

/** The request of the whole pod. Inodes cannot be requested. */
export function requestedOf(pod: Pod, resource: string): Quantity {
  const { overhead } = pod.spec;
  const requests = hasPodLevelResources(pod)
    ? podLevelRequests(pod)
    : amountsOf(podRequests(withoutOverhead(pod)));
  const request = requests.get(resource) ?? ZERO_QUANTITY;
  if (isZeroQuantity(request)) return request;
  return addAmounts(new Map([[resource, request]]), amountsOf(overhead)).get(resource) ?? request;
}

export function hasPodLevelResources({ spec: { resources } }: Pod): boolean {
  const names = [
    ...Object.keys(resources?.requests ?? {}),
    ...Object.keys(resources?.limits ?? {}),
  ];
  return names.some(isPodLevelResource);
}

function podLevelRequests({ spec: { resources } }: Pod): ReadonlyMap<string, Quantity> {
  return new Map([...amountsOf(resources?.requests)].filter(([name]) => isPodLevelResource(name)));
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function withoutOverhead(pod: Pod): Pod {
  const { overhead: _none, ...spec } = pod.spec;
  return { ...pod, spec };
}

function isLocal({ hostPath, emptyDir, configMap, gitRepo }: Volume): boolean {
  if (emptyDir) return (emptyDir.medium ?? '') === '';
  return hostPath !== undefined || configMap !== undefined || gitRepo !== undefined;
}
