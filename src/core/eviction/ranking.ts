/**
 * Decides in which order pods are evicted when the node is under pressure.
 *
 *     memory         1. above its request   2. lower priority   3. more above its request
 *     disk, inodes   1. above its request   2. lower priority   3. more above its request
 *     process IDs    1. lower priority      2. more processes
 *
 * A pod whose usage is unknown comes first, as in Kubernetes' kubelet. For inodes, which cannot be requested,
 * Kubernetes' kubelet subtracts the request for ephemeral storage; so does podkeep. Pods that are equal in
 * all criteria stay in the order of the list; in Kubernetes' kubelet their order is random.
 */
import {
  compareQuantities,
  quantityFromInteger,
  subtractQuantities,
  type Quantity,
} from '../../api/values/quantity.ts';
import type { Pod } from '../../api/pod.ts';
import { admissionSpecOf } from '../admission/admission-view.ts';
import { resourceOf, type EvictionSignal } from './eviction-signal.ts';
import { diskParts, type FileSystemLayout } from './file-system-layout.ts';
import { diskUsage, requestedOf, type EvictionCandidate } from './pod-usage.ts';

/** Negative: the first is evicted before the second. */
type Order = (a: EvictionCandidate, b: EvictionCandidate) => number;

/** What a pod uses, and what it requested of that; `excess` may be counted from another request. */
interface Measure {
  readonly used: (candidate: EvictionCandidate) => number;
  readonly requested: (pod: Pod) => Quantity;
  readonly excessFrom: (pod: Pod) => Quantity;
}

export function rankForEviction(
  candidates: readonly EvictionCandidate[],
  signal: EvictionSignal,
  layout: FileSystemLayout,
): readonly EvictionCandidate[] {
  const order = inOrder(ordersFor(signal, layout));
  return candidates.toSorted(order);
}

function ordersFor(signal: EvictionSignal, layout: FileSystemLayout): readonly Order[] {
  const resource = resourceOf(signal);
  if (resource === 'pids') return [byPriority, byProcesses];
  const measure = resource === 'memory' ? memory : disk(resource, signal, layout);
  return [byExceeding(measure), byPriority, byExcess(measure)];
}

const memory: Measure = {
  used: ({ stats }) => stats?.memoryBytes ?? 0,
  requested: (pod) => requestedOf(pod, 'memory'),
  excessFrom: (pod) => requestedOf(pod, 'memory'),
};

function disk(
  resource: 'ephemeral-storage' | 'inodes',
  signal: EvictionSignal,
  layout: FileSystemLayout,
): Measure {
  const parts = diskParts(signal, layout);
  const unit = resource === 'inodes' ? 'inodes' : 'bytes';
  return {
    used: (candidate) => diskUsage(candidate, parts, unit),
    requested: (pod) => requestedOf(pod, resource),
    excessFrom: (pod) => requestedOf(pod, 'ephemeral-storage'),
  };
}

function byExceeding({ used, requested }: Measure): Order {
  const exceeds = (candidate: EvictionCandidate): boolean =>
    compareQuantities(amountOf(used(candidate)), requested(candidate.pod)) > 0;
  return unknownFirst((a, b) => trueFirst(exceeds(a), exceeds(b)));
}

function byExcess({ used, excessFrom }: Measure): Order {
  const excess = (candidate: EvictionCandidate): Quantity =>
    subtractQuantities(amountOf(used(candidate)), excessFrom(candidate.pod));
  return unknownFirst((a, b) => compareQuantities(excess(b), excess(a)));
}

function byPriority(a: EvictionCandidate, b: EvictionCandidate): number {
  const priorityOf = ({ pod }: EvictionCandidate): number => admissionSpecOf(pod).priority ?? 0;
  return priorityOf(a) - priorityOf(b);
}

const byProcesses: Order = unknownFirst(
  (a, b) => (b.stats?.processes ?? 0) - (a.stats?.processes ?? 0),
);

function unknownFirst(order: Order): Order {
  return (a, b) => trueFirst(a.stats === null, b.stats === null) || (a.stats ? order(a, b) : 0);
}

function inOrder(orders: readonly Order[]): Order {
  return (a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function trueFirst(a: boolean, b: boolean): number {
  return Number(b) - Number(a);
}

function amountOf(count: number): Quantity {
  return quantityFromInteger(BigInt(Math.trunc(count)), 'BinarySI');
}
