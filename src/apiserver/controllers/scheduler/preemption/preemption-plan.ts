/**
 * Decides whether to preempt pods of lower priority for a pod that fits on no node, and if so which pods on
 * which node.
 *
 * Candidates are nodes that refused the pod because of other pods. In a large cluster a tenth of them, but at
 * least 100, are tried, beginning at a random one.
 */
import { objectsAt, textAt } from '../../../objects/field-path.ts';
import type { Cluster, NodeView } from '../cluster.ts';
import type { FilterCycle } from '../filters/filter-cycle.ts';
import { fitMessage } from '../fit-message.ts';
import type { PodView } from '../pod-view.ts';
import type { Refusal } from '../refusal.ts';
import { chooseCandidate } from './candidate-choice.ts';
import type { DisruptionBudget } from './disruption-budgets.ts';
import { findVictims, type Candidate } from './victims.ts';

export type PreemptionPlan =
  | { readonly type: 'preempt'; readonly candidate: Candidate }
  | {
      readonly type: 'none';
      /** In kube-scheduler's words. */
      readonly message: string;
      /** True: an earlier nomination of the pod is cleared. */
      readonly clearsNomination: boolean;
    };

export interface PreemptionDeps {
  readonly cluster: Cluster;
  readonly cycle: FilterCycle;
  /** Called at most once, and only if the pod would fit on a node without its pods of lower priority. */
  readonly budgets: () => readonly DisruptionBudget[];
  /** At least 0 and below 1: determines the node with which the search begins. */
  readonly chance: number;
}

const NEVER = 'not eligible due to preemptionPolicy=Never.';
const TERMINATING = 'not eligible due to a terminating pod on the nominated node.';
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';
const CANDIDATES_MIN = 100;
const CANDIDATES_PERCENT = 10;

/** `refusals`: those of the nodes that were tried, by node name. */
export function planPreemption(
  pod: PodView,
  refusals: ReadonlyMap<string, Refusal>,
  deps: PreemptionDeps,
): PreemptionPlan {
  const { cluster } = deps;
  if (textAt(pod.object, 'spec.preemptionPolicy') === 'Never') return none(NEVER, false);
  if (waitsForVictims(pod, refusals, cluster)) return none(TERMINATING, false);
  const nodes = cluster.nodes().filter(({ name }) => refusals.get(name)?.isResolvable === true);
  const { candidates, refused } = search(pod, nodes, deps);
  const candidate = chooseCandidate(candidates);
  if (candidate) return { type: 'preempt', candidate };
  return none(fitMessage(cluster.nodes().length, refused, NOT_HELPFUL), true);
}

function none(message: string, clearsNomination: boolean): PreemptionPlan {
  return { type: 'none', message: `preemption: ${message}`, clearsNomination };
}

/** Whether pods were already preempted for this pod and have not terminated yet. */
function waitsForVictims(
  pod: PodView,
  refusals: ReadonlyMap<string, Refusal>,
  cluster: Cluster,
): boolean {
  const name =
    textAt(pod.object, 'status.nominatedNodeName') || cluster.nominations.nodeOf(pod.key);
  const node = name === '' ? undefined : cluster.node(name);
  if (!node) return false;
  const refusal = refusals.get(name);
  if (!refusal || !refusal.isResolvable) return false;
  return [...node.load.pods.values()].some(
    (other) => other.priority < pod.priority && isPreempted(other),
  );
}

function isPreempted({ object, isBeingDeleted }: PodView): boolean {
  if (!isBeingDeleted) return false;
  const target = objectsAt(object, 'status.conditions').find(
    ({ type }) => type === 'DisruptionTarget',
  );
  return target?.['status'] === 'True' && target['reason'] === 'PreemptionByScheduler';
}

interface Search {
  readonly candidates: readonly Candidate[];
  readonly refused: readonly Refusal[];
}

/** Stops when there are enough candidates and one of them violates no budget. */
function search(pod: PodView, nodes: readonly NodeView[], deps: PreemptionDeps): Search {
  const { cycle, chance } = deps;
  let read: readonly DisruptionBudget[] | null = null;
  const budgets = (): readonly DisruptionBudget[] => (read ??= deps.budgets());
  const share = Math.floor((nodes.length * CANDIDATES_PERCENT) / 100);
  const enough = Math.min(Math.max(share, CANDIDATES_MIN), nodes.length);
  const offset = Math.floor(chance * nodes.length);
  const candidates: Candidate[] = [];
  const refused: Refusal[] = [];
  for (const node of [...nodes.slice(offset), ...nodes.slice(0, offset)]) {
    const result = findVictims(pod, node, cycle, budgets);
    if (result.type === 'candidate') candidates.push(result.candidate);
    else refused.push({ plugin: 'NodeResourcesFit', isResolvable: false, ...result.refusal });
    const isFree = candidates.some(({ violations }) => violations === 0);
    if (isFree && candidates.length >= enough) break;
  }
  return { candidates, refused };
}
