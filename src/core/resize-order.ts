/**
 * In which order resizes that wait are looked at again: those that ask for no more first, because
 * they make room; then by priority, by what the pod was promised, and by who has waited longest.
 */
import type { Time } from '../api/meta.ts';
import type { Pod } from '../api/pod.ts';
import { compareQuantities } from '../api/quantity.ts';
import { readQuantity } from '../api/quantity-text.ts';
import { parseTime } from '../api/time.ts';
import { admissionSpecOf } from './admission/admission-view.ts';
import { podRequests } from './pod-resources.ts';
import { qosClass } from './qos-class.ts';

export interface WaitingResize {
  /** As it wants to be. */
  readonly pod: Pod;
  /** With what it has been granted so far. */
  readonly allocated: Pod;
  /** Since when its condition says that it waits; null if it does not say so yet. */
  readonly waitingSince: Time | null;
}

export function orderResizes<T extends WaitingResize>(waiting: readonly T[]): readonly T[] {
  const ranked = waiting.map((resize) => ({ resize, rank: rankOf(resize) }));
  return ranked.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ resize }) => resize);
}

/** Smaller numbers first, the earlier ones outweighing all that follow. */
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
