/**
 * Scores nodes by topology spread constraints with ScheduleAnyway: the fewer matching pods a domain has, the
 * better. A pod without constraints is spread over hosts and zones if a Service or a controller selects it.
 */
import type { NodeView } from '../cluster.ts';
import { readNodeRequirement } from '../node-affinity.ts';
import { objectsAt } from '../../../objects/field-path.ts';
import type { PodView } from '../pod-view.ts';
import {
  countSpreadPods,
  hasSpreadLabels,
  readSpread,
  spreadCountsNode,
  type SpreadConstraint,
} from '../spread-constraint.ts';
import { SCORE_MAX } from './normalize-scores.ts';
import type { ScoreDeps, Scores } from './score-plugins.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const DEFAULTS = [
  { key: HOSTNAME, skewMax: 3 },
  { key: 'topology.kubernetes.io/zone', skewMax: 5 },
];

export function spreadScores(
  pod: PodView,
  nodes: readonly NodeView[],
  { cluster, defaultSelector }: ScoreDeps,
): Scores {
  const isOwn = objectsAt(pod.object, 'spec.topologySpreadConstraints').length > 0;
  const constraints = isOwn
    ? readSpread(pod, 'ScheduleAnyway')
    : defaultConstraints(defaultSelector());
  if (constraints.length === 0) return null;
  // If the pod has its own constraints, nodes that lack one of their labels get score 0.
  const isScored = ({ labels }: NodeView): boolean =>
    !isOwn || hasSpreadLabels(constraints, labels);
  const scored = nodes.filter(isScored);
  const counts = constraints.map((constraint) =>
    countDomains(pod, constraint, scored, cluster.nodes().filter(isScored)),
  );
  const sums = nodes.map((node) => {
    if (!isScored(node)) return null;
    let sum = 0;
    for (const [index, constraint] of constraints.entries()) {
      const { key, skewMax } = constraint;
      if (!Object.hasOwn(node.labels, key)) continue;
      const { domains, size } = counts[index] ?? { domains: new Map<string, number>(), size: 0 };
      const count =
        key === HOSTNAME
          ? countSpreadPods(constraint, node, pod.namespace)
          : (domains.get(node.labels[key] ?? '') ?? 0);
      sum += count * Math.log(size + 2) + (skewMax - 1);
    }
    return Math.round(sum);
  });
  return invert(sums);
}

interface Domains {
  readonly domains: ReadonlyMap<string, number>;
  /** The number of domains. */
  readonly size: number;
}

/** Domains are those of the fitting nodes; the pods in them are counted on all nodes. */
function countDomains(
  pod: PodView,
  constraint: SpreadConstraint,
  fitting: readonly NodeView[],
  all: readonly NodeView[],
): Domains {
  const domains = new Map<string, number>();
  if (constraint.key === HOSTNAME) return { domains, size: fitting.length };
  for (const { labels } of fitting) domains.set(labels[constraint.key] ?? '', 0);
  const requirement = readNodeRequirement(pod.object);
  for (const node of all) {
    const value = node.labels[constraint.key] ?? '';
    const count = domains.get(value);
    if (count === undefined || !spreadCountsNode(constraint, pod, requirement, node)) continue;
    domains.set(value, count + countSpreadPods(constraint, node, pod.namespace));
  }
  return { domains, size: domains.size };
}

/** Inverts sums to scores: few pods become a high score. Null: the node lacks a label. */
function invert(sums: readonly (number | null)[]): readonly number[] {
  let [lowest, highest] = [Number.MAX_SAFE_INTEGER, 0];
  for (const sum of sums) {
    if (sum === null) continue;
    lowest = Math.min(lowest, sum);
    highest = Math.max(highest, sum);
  }
  return sums.map((sum) => {
    if (sum === null) return 0;
    if (highest === 0) return SCORE_MAX;
    return Math.trunc((SCORE_MAX * (highest + lowest - sum)) / highest);
  });
}

function defaultConstraints(
  selector: ReturnType<ScoreDeps['defaultSelector']>,
): readonly SpreadConstraint[] {
  if (selector.length === 0) return [];
  return DEFAULTS.map((constraint) => ({
    ...constraint,
    selector,
    domainsMin: 1,
    honorsAffinity: true,
    honorsTaints: false,
  }));
}
