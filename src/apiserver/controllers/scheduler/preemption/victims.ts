/**
 * Finds the victims on one node by a dry run: removes all pods of lower priority, then adds them back one by
 * one, the most important first, as long as the new pod still fits.
 */
import type { NodeView } from '../cluster.ts';
import type { FilterCycle } from '../filters/filter-cycle.ts';
import type { PodView } from '../pod-view.ts';
import type { Refusal } from '../refusal.ts';
import { splitByBudgets, type DisruptionBudget } from './disruption-budgets.ts';

export interface Candidate {
  readonly node: string;
  /** The most important first. At least one. */
  readonly victims: readonly PodView[];
  /** How many of them violate a PodDisruptionBudget. */
  readonly violations: number;
}

export type VictimSearch =
  | { readonly type: 'candidate'; readonly candidate: Candidate }
  | { readonly type: 'refused'; readonly refusal: Pick<Refusal, 'reasons'> };

const NO_VICTIMS = 'No preemption victims found for incoming pod';

export function findVictims(
  pod: PodView,
  node: NodeView,
  cycle: FilterCycle,
  budgets: () => readonly DisruptionBudget[],
): VictimSearch {
  const lower = [...node.load.pods.values()].filter((other) => other.priority < pod.priority);
  if (lower.length === 0) return refused([NO_VICTIMS]);
  const tried: NodeView = { ...node, load: node.load.copy() };
  const dryRun = cycle.copy();
  for (const other of lower) dryRun.remove(other, tried);
  const refusal = dryRun.check(tried);
  if (refusal) return refused(refusal.reasons);
  const { violating, free } = splitByBudgets(lower.toSorted(byImportance), budgets());
  const victims: PodView[] = [];
  const reprieve = (other: PodView): boolean => {
    dryRun.add(other, tried);
    if (!dryRun.check(tried)) return true;
    dryRun.remove(other, tried);
    victims.push(other);
    return false;
  };
  const violations = violating.filter((other) => !reprieve(other)).length;
  for (const other of free) reprieve(other);
  // As in kube-scheduler this is an internal error: the pod fits without any preemption.
  if (victims.length === 0) {
    return refused([`expected at least one victim pod on node ${JSON.stringify(node.name)}`]);
  }
  const candidate = { node: node.name, victims: victims.toSorted(byImportance), violations };
  return { type: 'candidate', candidate };
}

/** Higher priority first, then the earlier start. A pod that has not started comes last. */
export function byImportance(a: PodView, b: PodView): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return compareStarts(a.startTime, b.startTime);
}

/** API times compare as strings. Empty: not started. */
export function compareStarts(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  return a < b ? -1 : 1;
}

function refused(reasons: readonly string[]): VictimSearch {
  return { type: 'refused', refusal: { reasons } };
}
