/**
 * Scores nodes by cpu and memory as they would be with the pod: the largest free share (LeastAllocated), and
 * how evenly both are used compared with before (BalancedAllocation).
 */
import type { Amounts } from '../amounts.ts';
import type { NodeView } from '../cluster.ts';
import type { PodView } from '../pod-view.ts';
import { SCORE_MAX } from './normalize-scores.ts';
import type { Scores } from './score-plugins.ts';

const RESOURCES = ['cpu', 'memory'];
const EXACT_MAX = BigInt(SCORE_MAX);

export function leastAllocatedScores({ assumed }: PodView, nodes: readonly NodeView[]): Scores {
  return nodes.map(({ allocatable, load }) => {
    let [sum, resources] = [0n, 0n];
    for (const name of RESOURCES) {
      const capacity = allocatable.get(name) ?? 0n;
      if (capacity <= 0n) continue;
      const used = (load.assumed.get(name) ?? 0n) + (assumed.get(name) ?? 0n);
      if (used <= capacity) sum += ((capacity - used) * EXACT_MAX) / capacity;
      resources += 1n;
    }
    return resources === 0n ? 0 : Number(sum / resources);
  });
}

/** Null: the pod has no requests. */
export function balancedScores({ requests }: PodView, nodes: readonly NodeView[]): Scores {
  if (RESOURCES.every((name) => (requests.get(name) ?? 0n) === 0n)) return null;
  return nodes.map(({ allocatable, load }) => {
    const before = evennessOf(allocatable, (name) => load.requested.get(name) ?? 0n);
    const after = evennessOf(
      allocatable,
      (name) => (load.requested.get(name) ?? 0n) + (requests.get(name) ?? 0n),
    );
    const half = SCORE_MAX / 2;
    return half + Math.trunc((half + after - before) / 2);
  });
}

function evennessOf(allocatable: Amounts, usedOf: (name: string) => bigint): number {
  const shares = RESOURCES.flatMap((name) => {
    const capacity = allocatable.get(name) ?? 0n;
    return capacity === 0n ? [] : Math.min(Number(usedOf(name)) / Number(capacity), 1);
  });
  const [first, second] = shares;
  const deviation =
    first === undefined || second === undefined ? 0 : Math.abs((first - second) / 2);
  return Math.trunc((1 - deviation) * SCORE_MAX);
}
