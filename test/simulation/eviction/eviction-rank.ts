/**
 * The model's own ranking of pods, by the kubelet's documentation: a pod that uses more than it requested
 * goes before one that does not; then the lower priority; then the one that is further above its request.
 * For process IDs: the lower priority, then more processes. A pod of which nothing is known goes first.
 */
import type { Pod } from '../../../src/api/pod.ts';
import { kindOf, type Layout } from './eviction-policies.ts';
import type { PodUse } from './node-resources.ts';
import { traitsOf } from './pod-traits.ts';

export interface Ranked {
  readonly pod: Pod;
  /** Null: nothing is known of the pod. */
  readonly use: PodUse | null;
}

/** Numbers to compare from left to right; the smaller one goes first. */
export function rankOf({ pod, use }: Ranked, signal: string, layout: Layout): readonly number[] {
  const { priority, memoryRequest, diskRequest, volume } = traitsOf(pod);
  const isUnknown = use === null ? 0 : 1;
  switch (kindOf(signal)) {
    case 'pids':
      return [priority, isUnknown, -(use?.processes ?? 0)];
    case 'memory': {
      const excess = (use?.memory ?? 0) - memoryRequest;
      return [isUnknown, use && excess > 0 ? 0 : 1, priority, use ? -excess : 0];
    }
    case 'disk': {
      const excess =
        diskOf(use, { signal, layout, hasVolume: volume !== null }, 'bytes') - diskRequest;
      return [isUnknown, use && excess > 0 ? 0 : 1, priority, use ? -excess : 0];
    }
    case 'inodes': {
      // Inodes cannot be requested; the kubelet subtracts the request for bytes.
      const inodes = diskOf(use, { signal, layout, hasVolume: volume !== null }, 'inodes');
      return [isUnknown, use && inodes > 0 ? 0 : 1, priority, use ? diskRequest - inodes : 0];
    }
  }
}

/** The pod that goes first: of equal ones the first of the list. Critical pods stay. */
export function firstOf(
  candidates: readonly Ranked[],
  signal: string,
  layout: Layout,
): Ranked | null {
  let first: { readonly one: Ranked; readonly rank: readonly number[] } | null = null;
  for (const one of candidates) {
    if (traitsOf(one.pod).isCritical) continue;
    const rank = rankOf(one, signal, layout);
    if (!first || isBefore(rank, first.rank)) first = { one, rank };
  }
  return first?.one ?? null;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index >= 0 && (a[index] ?? 0) < (b[index] ?? 0);
}

/** What of a pod is on the file system of the signal. */
function diskOf(
  use: PodUse | null,
  where: { readonly signal: string; readonly layout: Layout; readonly hasVolume: boolean },
  unit: 'bytes' | 'inodes',
): number {
  if (!use) return 0;
  const { signal, layout, hasVolume } = where;
  const [fileSystem] = signal.split('.');
  const isNode = fileSystem === 'nodefs' || (fileSystem === 'containerfs' && layout === 'split');
  const hasAll = layout === 'single';
  const hasLayers = hasAll || (layout === 'split' ? isNode : !isNode);
  const hasRest = hasAll || isNode;
  const sum = (part: 'rootfs' | 'logs'): number =>
    use.containers.reduce((total, one) => total + one[part][unit], 0);
  const rest = sum('logs') + (hasVolume ? use.volume[unit] : 0);
  return (hasLayers ? sum('rootfs') : 0) + (hasRest ? rest : 0);
}
