/**
 * How evenly pods of a kind must be spread over zones, hosts, or whatever a label of nodes says.
 *
 * Counted are pods of the same namespace that the constraint selects and that are not leaving, on
 * nodes that have all the labels in question. The place with the fewest sets the measure.
 */
import { matchesLabels, type LabelSelector } from '../../../api/label-selector.ts';
import { objectsAt } from '../../kinds/field-path.ts';
import { readNumber, readText } from '../../kinds/validation/json-reading.ts';
import type { NodeView } from './cluster.ts';
import { wantsNode } from './node-affinity.ts';
import { readSelector, type PodView } from './pod-view.ts';
import { refuse, type Filter } from './refusal.ts';
import { toleratesAll } from './taints.ts';

const UNEVEN = "node(s) didn't match pod topology spread constraints";
const LABEL_MISSING = `${UNEVEN} (missing required label)`;

interface Constraint {
  readonly key: string;
  readonly selector: LabelSelector | null;
  readonly skewMax: number;
  readonly domainsMin: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export function spreadFilter(pod: PodView, nodes: readonly NodeView[]): Filter | null {
  const constraints = readConstraints(pod);
  if (constraints.length === 0) return null;
  const counted = nodes.filter((node) => constraints.every(({ key }) => hasLabel(node, key)));
  const spreads = constraints.map((constraint) => ({
    constraint,
    counts: countByValue(pod, constraint, counted),
  }));
  return (node) => {
    for (const { constraint, counts } of spreads) {
      if (!hasLabel(node, constraint.key)) return refuse(LABEL_MISSING, 'for good');
      const count = counts.get(node.labels[constraint.key] ?? '') ?? 0;
      const own = selects(constraint, pod) ? 1 : 0;
      if (count + own - measureOf(constraint, counts) > constraint.skewMax) {
        return refuse(UNEVEN, 'while others are there');
      }
    }
    return null;
  };
}

/** With too few places, there is always one more that would have none. */
function measureOf({ domainsMin }: Constraint, counts: ReadonlyMap<string, number>): number {
  return counts.size < domainsMin || counts.size === 0 ? 0 : Math.min(...counts.values());
}

function countByValue(
  pod: PodView,
  constraint: Constraint,
  nodes: readonly NodeView[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (!isIncluded(pod, constraint, node)) continue;
    const value = node.labels[constraint.key] ?? '';
    const found = [...node.load.pods.values()].filter(
      (other) =>
        other.namespace === pod.namespace && !other.isBeingDeleted && selects(constraint, other),
    );
    counts.set(value, (counts.get(value) ?? 0) + found.length);
  }
  return counts;
}

/** Only nodes on which the pod could be count, if the constraint says so. */
function isIncluded(
  { object, tolerations }: PodView,
  { honorsAffinity, honorsTaints }: Constraint,
  node: NodeView,
): boolean {
  if (honorsAffinity && !wantsNode(object, node)) return false;
  return !honorsTaints || toleratesAll(tolerations, node.taints, ['NoSchedule', 'NoExecute']);
}

function selects({ selector }: Constraint, { labels }: PodView): boolean {
  return selector !== null && matchesLabels(selector, labels);
}

function hasLabel({ labels }: NodeView, key: string): boolean {
  return Object.hasOwn(labels, key);
}

function readConstraints({ object }: PodView): readonly Constraint[] {
  return objectsAt(object, 'spec.topologySpreadConstraints')
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
    .map((constraint) => ({
      key: readText(constraint['topologyKey']),
      selector: readSelector(constraint['labelSelector']),
      skewMax: readNumber(constraint['maxSkew']),
      domainsMin: readNumber(constraint['minDomains']) || 1,
      honorsAffinity: constraint['nodeAffinityPolicy'] !== 'Ignore',
      honorsTaints: constraint['nodeTaintsPolicy'] === 'Honor',
    }));
}
