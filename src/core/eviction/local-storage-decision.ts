/**
 * Decides whether the kubelet evicts a pod because it uses more local disk than its own limits allow.
 *
 *     a volume above its sizeLimit ──> the pod above its limit ──> a container above its limit ──> stays
 *              │                               │                              │
 *              └───────────────────────────────┴──────────────────────────────┴──> evict, or spare
 *
 * The first exceeded limit gives the eviction its signal and message; a container's writable layer and its
 * logs count for its own limit. Messages are those of Kubernetes' kubelet, including the blank at the end of
 * each.
 *
 * Invariants:
 *   1. Usage that was not measured counts as zero: podkeep never evicts on a guess.
 *   2. A pod at its limit stays; only one above it is evicted.
 *   3. Critical pods (static pods, mirror pods, system priority) are spared.
 *   4. The pod has no DisruptionTarget condition: it was evicted because of its own limits, not because of
 *      the node's pressure. Kubernetes' kubelet makes the same distinction.
 */
import {
  compareQuantities,
  quantityFromInteger,
  type Quantity,
} from '../../api/values/quantity.ts';
import { formatQuantity } from '../../api/values/quantity-text.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import type { LocalStorageLimits } from './local-storage-limits.ts';

/** Bytes, as far as they are known. */
export interface LocalStorageUsage {
  /** By name. Absent: not measured yet. */
  readonly volumes: ReadonlyMap<string, number>;
  /** Of those that run. */
  readonly containers: readonly ContainerStorageUsage[];
  /** The hosts file, and files beside the logs of the containers. */
  readonly otherBytes: number;
  /**
   * Images and writable layers are on a file system of their own. Then a writable layer does not count
   * for the limit of its container, but still for that of the pod, as in the kubelet.
   */
  readonly hasDedicatedImageFs: boolean;
}

export interface ContainerStorageUsage {
  readonly name: string;
  readonly logBytes: number;
  readonly writableBytes: number;
}

/** As the metric `kubelet_evictions` names them. */
export type LocalStorageSignal =
  | 'emptydirfs.limit'
  | 'ephemeralpodfs.limit'
  | 'ephemeralcontainerfs.limit';

export interface ExceededLimit {
  readonly signal: LocalStorageSignal;
  readonly message: string;
}

export interface EvictionDecision extends ExceededLimit {
  readonly action: 'evict' | 'spare';
}

export const EVICTED = 'Evicted';
/** The grace period of an evicted pod, whatever its spec says. */
export const EVICTION_GRACE_SECONDS = 1;

/** Null: the pod is within its limits, as far as is known. */
export function decideLocalStorageEviction(
  pod: Pod,
  limits: LocalStorageLimits,
  usage: LocalStorageUsage,
): EvictionDecision | null {
  const exceeded =
    exceededVolume(limits, usage) ?? exceededPod(limits, usage) ?? exceededContainer(limits, usage);
  return exceeded && { ...exceeded, action: isCriticalPod(pod) ? 'spare' : 'evict' };
}

/** The status of a pod that was evicted for its own limits. */
export function evictedStatus(status: PodStatus, message: string): PodStatus {
  return { ...status, phase: 'Failed', reason: EVICTED, message };
}

function exceededVolume(
  { emptyDirs }: LocalStorageLimits,
  { volumes }: LocalStorageUsage,
): ExceededLimit | null {
  for (const [name, limit] of emptyDirs) {
    if (!isAbove(volumes.get(name) ?? 0, limit)) continue;
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${formatQuantity(limit)}". `;
    return { signal: 'emptydirfs.limit', message };
  }
  return null;
}

function exceededPod(limits: LocalStorageLimits, usage: LocalStorageUsage): ExceededLimit | null {
  const { pod: limit, measured } = limits;
  if (limit === null) return null;
  const { volumes, containers, otherBytes } = usage;
  const amounts = [
    otherBytes,
    ...measured.map(({ name, isInMemory }) => (isInMemory ? 0 : (volumes.get(name) ?? 0))),
    ...containers.map(({ logBytes, writableBytes }) => logBytes + writableBytes),
  ];
  const usedBytes = amounts.reduce((sum, bytes) => sum + bytes, 0);
  if (!isAbove(usedBytes, limit)) return null;
  const text = formatQuantity(limit);
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  return { signal: 'ephemeralpodfs.limit', message };
}

function exceededContainer(
  { containers: limits }: LocalStorageLimits,
  { containers, hasDedicatedImageFs }: LocalStorageUsage,
): ExceededLimit | null {
  for (const { name, logBytes, writableBytes } of containers) {
    const limit = limits.get(name);
    const usedBytes = logBytes + (hasDedicatedImageFs ? 0 : writableBytes);
    if (!limit || !isAbove(usedBytes, limit)) continue;
    const text = formatQuantity(limit);
    const message = `Container ${name} exceeded its local ephemeral storage limit "${text}". `;
    return { signal: 'ephemeralcontainerfs.limit', message };
  }
  return null;
}

function isAbove(bytes: number, limit: Quantity): boolean {
  return compareQuantities(quantityFromInteger(bytes, 'BinarySI'), limit) > 0;
}
