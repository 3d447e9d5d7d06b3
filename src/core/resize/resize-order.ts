/**
 * Decides the order in which pending resizes are retried: first those that do not increase requests, because
 * they free resources; then by priority, by QoS class, and by waiting time.
 */
import type { Time } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import { compareQuantities } from '../../api/values/quantity.ts';
import { readQuantity } from '../../api/values/quantity-text.ts';
import { parseTime } from '../../api/values/time.ts';
import { admissionSpecOf } from '../admission/admission-view.ts';
import { podRequests } from '../resources/pod-resources.ts';
import { qosClass } from '../resources/qos-class.ts';

export interface WaitingResize {
  /** With the desired resources. */
  readonly pod: Pod;
  /** With the allocated resources. */
  readonly allocated: Pod;
  /** Since when its condition is pending. Null: there is no such condition yet. */
  readonly waitingSince: Time | null;
}

export function orderResizes<T extends WaitingResize>(waiting: readonly T[]): readonly T[] {
  const ranked = waiting.map((resize) => ({ resize, rank: rankOf(resize) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ resize }) => resize);
}

/** Smaller numbers first; earlier numbers take precedence over later ones. */
type Rank = readonly number[];

function rankOf({ pod, allocated, waitingSince }: WaitingResize): Rank {
  return [
    asksForMore(pod, allocated) ? 1 : 0,
    -(admissionSpecOf(pod).priority ?? 0),
    qosClass(pod) === 'Guaranteed' ? 0 : 1,
    waitingSince === null ? Number.MAX_SAFE_INTEGER : parseTime(waitingSince).ms,
  ];
}

function compareRanks(a: Rank, b: Rank): number {
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function asksForMore(pod: Pod, allocated: Pod): boolean {
  const [wanted, granted] = [podRequests(pod), podRequests(allocated)];
  return ['cpu', 'memory'].some((name) => {
    const [now, before] = [readQuantity(wanted[name] ?? 0), readQuantity(granted[name] ?? 0)];
    return compareQuantities(now, before) > 0;
  });
}
