/**
 * Filters by topology spread constraints with DoNotSchedule: how evenly pods must be spread over the values
 * of a node label.
 *
 * It counts pods of the same namespace that the constraint selects and that are not terminating, on nodes
 * that have the labels of all constraints. The domain with the fewest pods sets the minimum.
 */
import type { NodeView } from '../cluster.ts';
import type { NodeRequirement } from '../node-affinity.ts';
import type { PodView } from '../pod-view.ts';
import { refuseNode, type NodeFilter, type PodCounts, type Refusal } from '../refusal.ts';
import {
  countSpreadPods,
  hasSpreadLabels,
  readSpread,
  spreadCountsNode,
  spreadSelects,
  type SpreadConstraint,
} from '../spread-constraint.ts';

const UNEVEN = "node(s) didn't match pod topology spread constraints";
const LABEL_MISSING = `${UNEVEN} (missing required label)`;

interface Spread {
  readonly constraint: SpreadConstraint;
  readonly counts: Map<string, number>;
  /** The fewest pods in a domain. Null: must be computed again. */
  fewest: number | null;
}

export function spreadFilter(
  pod: PodView,
  nodes: readonly NodeView[],
  requirement: NodeRequirement,
): NodeFilter | null {
  const constraints = readSpread(pod, 'DoNotSchedule');
  if (constraints.length === 0) return null;
  const spreads = constraints.map((constraint): Spread => ({
    constraint,
    counts: new Map(),
    fewest: null,
  }));
  for (const node of nodes) {
    if (!hasSpreadLabels(constraints, node.labels)) continue;
    for (const { constraint, counts } of spreads) {
      if (!spreadCountsNode(constraint, pod, requirement, node)) continue;
      const value = node.labels[constraint.key] ?? '';
      counts.set(
        value,
        (counts.get(value) ?? 0) + countSpreadPods(constraint, node, pod.namespace),
      );
    }
  }
  return new SpreadFilter(pod, requirement, spreads);
}

class SpreadFilter implements NodeFilter, PodCounts {
  readonly #pod: PodView;
  readonly #requirement: NodeRequirement;
  readonly #spreads: readonly Spread[];

  constructor(pod: PodView, requirement: NodeRequirement, spreads: readonly Spread[]) {
    this.#pod = pod;
    this.#requirement = requirement;
    this.#spreads = spreads;
  }

  get counts(): PodCounts {
    return this;
  }

  check({ labels }: NodeView): Refusal | null {
    for (const spread of this.#spreads) {
      const { constraint, counts } = spread;
      if (!Object.hasOwn(labels, constraint.key)) {
        return refuseNode('PodTopologySpread', LABEL_MISSING);
      }
      const count = counts.get(labels[constraint.key] ?? '') ?? 0;
      const own = spreadSelects(constraint, this.#pod.labels) ? 1 : 0;
      if (count + own - fewestOf(spread) > constraint.skewMax) {
        return refuseNode('PodTopologySpread', UNEVEN, true);
      }
    }
    return null;
  }

  change(pod: PodView, node: NodeView, sign: 1 | -1): void {
    if (pod.namespace !== this.#pod.namespace) return;
    const constraints = this.#spreads.map(({ constraint }) => constraint);
    if (!hasSpreadLabels(constraints, node.labels)) return;
    for (const spread of this.#spreads) {
      const { constraint, counts } = spread;
      if (!spreadSelects(constraint, pod.labels)) continue;
      if (!spreadCountsNode(constraint, this.#pod, this.#requirement, node)) continue;
      const value = node.labels[constraint.key] ?? '';
      counts.set(value, (counts.get(value) ?? 0) + sign);
      spread.fewest = null;
    }
  }

  copy(): NodeFilter {
    const spreads = this.#spreads.map(({ constraint, counts, fewest }) => ({
      constraint,
      counts: new Map(counts),
      fewest,
    }));
    return new SpreadFilter(this.#pod, this.#requirement, spreads);
  }
}

/** If there are fewer domains than minDomains, the minimum is zero. */
function fewestOf(spread: Spread): number {
  const { counts, constraint } = spread;
  if (counts.size < constraint.domainsMin) return 0;
  if (spread.fewest === null) {
    let fewest = Number.MAX_SAFE_INTEGER;
    for (const count of counts.values()) fewest = Math.min(fewest, count);
    spread.fewest = counts.size === 0 ? 0 : fewest;
  }
  return spread.fewest;
}
