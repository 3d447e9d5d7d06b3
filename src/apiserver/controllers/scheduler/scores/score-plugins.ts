/**
 * Scores nodes as kube-scheduler does with its default plugins and weights. Each plugin gives a node 0 to
 * 100. The node with the highest weighted sum wins; among equals one is chosen at random.
 */
import type { Cluster, NodeView } from '../cluster.ts';
import type { LabelSelector } from '../../../../api/values/label-selector.ts';
import type { PodView } from '../pod-view.ts';
import { affinityScores } from './affinity-score.ts';
import { imageScores } from './image-score.ts';
import { nodeAffinityScores, taintScores } from './node-scores.ts';
import { balancedScores, leastAllocatedScores } from './resource-scores.ts';
import { spreadScores } from './spread-score.ts';

/** The score of each node, in the order of the nodes. Null: the plugin does not apply to the pod. */
export type Scores = readonly number[] | null;

export interface ScoreDeps {
  readonly cluster: Cluster;
  /** Selects the pods that Services and controllers group with the pod. Empty: none. */
  readonly defaultSelector: () => LabelSelector;
}

export interface ScoredNode {
  readonly node: NodeView;
  readonly total: number;
  /** Weighted, by plugin. */
  readonly scores: ReadonlyMap<string, number>;
}

type ScorePlugin = (pod: PodView, nodes: readonly NodeView[], deps: ScoreDeps) => Scores;

const PLUGINS: readonly (readonly [name: string, weight: number, plugin: ScorePlugin])[] = [
  ['TaintToleration', 3, taintScores],
  ['NodeAffinity', 2, nodeAffinityScores],
  ['NodeResourcesFit', 1, leastAllocatedScores],
  ['PodTopologySpread', 2, spreadScores],
  ['InterPodAffinity', 2, affinityScores],
  ['NodeResourcesBalancedAllocation', 1, balancedScores],
  ['ImageLocality', 1, imageScores],
];

export function scoreNodes(
  pod: PodView,
  nodes: readonly NodeView[],
  deps: ScoreDeps,
): readonly ScoredNode[] {
  const results = PLUGINS.flatMap(([name, weight, plugin]) => {
    const scores = plugin(pod, nodes, deps);
    return scores ? [{ name, weight, scores }] : [];
  });
  return nodes.map((node, index) => {
    const scores = new Map(
      results.map(({ name, weight, scores: all }) => [name, weight * (all[index] ?? 0)]),
    );
    let total = 0;
    for (const score of scores.values()) total += score;
    return { node, total, scores };
  });
}

/** `chance` is at least 0 and below 1. Undefined: there are no nodes. */
export function pickBest(scored: readonly ScoredNode[], chance: number): NodeView | undefined {
  const best = bestOf(scored);
  return best[Math.floor(chance * best.length)]?.node;
}

export function bestOf(scored: readonly ScoredNode[]): readonly ScoredNode[] {
  let highest = Number.NEGATIVE_INFINITY;
  for (const { total } of scored) highest = Math.max(highest, total);
  return scored.filter(({ total }) => total === highest);
}
