/**
 * Scores nodes by preferred pod affinity and anti-affinity, of the new pod and of existing pods. Required
 * affinity of an existing pod counts as a preference with weight 1, so the new pod is attracted to pods whose
 * required affinity matches it.
 */
import { termMatches, type NamespaceLabels, type WeightedTerm } from '../affinity-term.ts';
import type { NodeView } from '../cluster.ts';
import { DomainCounts } from '../filters/domain-counts.ts';
import type { PodView } from '../pod-view.ts';
import { SCORE_MAX } from './normalize-scores.ts';
import type { ScoreDeps, Scores } from './score-plugins.ts';

const REQUIRED_WEIGHT = 1;

/** Null: no pod has a preference. */
export function affinityScores(
  pod: PodView,
  nodes: readonly NodeView[],
  { cluster }: ScoreDeps,
): Scores {
  const labelsOf: NamespaceLabels = (namespace) => cluster.namespaceLabels(namespace);
  const isPicky = pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0;
  const domains = new DomainCounts();
  const keys = new Set<string>();
  for (const node of cluster.nodes()) {
    const count = (terms: readonly WeightedTerm[], matched: PodView, sign: 1 | -1): void => {
      for (const { term, weight } of terms) {
        if (!Object.hasOwn(node.labels, term.topologyKey)) continue;
        if (!termMatches(term, matched, labelsOf)) continue;
        keys.add(term.topologyKey);
        domains.add(term.topologyKey, node.labels, sign * weight);
      }
    };
    for (const other of isPicky ? node.load.pods.values() : node.load.affinityPods) {
      count(pod.preferredAffinity, other, 1);
      count(pod.preferredAntiAffinity, other, -1);
      count(
        other.affinity.map((term) => ({ term, weight: REQUIRED_WEIGHT })),
        pod,
        1,
      );
      count(other.preferredAffinity, pod, 1);
      count(other.preferredAntiAffinity, pod, -1);
    }
  }
  if (keys.size === 0) return null;
  const sums = nodes.map(({ labels }) => {
    let sum = 0;
    for (const key of keys) sum += domains.at(key, labels);
    return sum;
  });
  return scaleBetween(sums);
}

/** Scales linearly: the lowest sum becomes 0, the highest 100. */
function scaleBetween(sums: readonly number[]): readonly number[] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const sum of sums) {
    lowest = Math.min(lowest, sum);
    highest = Math.max(highest, sum);
  }
  const range = highest - lowest;
  return sums.map((sum) => (range > 0 ? Math.trunc(SCORE_MAX * ((sum - lowest) / range)) : 0));
}
