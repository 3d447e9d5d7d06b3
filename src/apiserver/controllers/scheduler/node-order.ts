/**
 * Orders nodes so that zones alternate, as in kube-scheduler. In a large cluster only some nodes are tried
 * for each pod, and this way they come from all zones.
 */
import type { Labels } from '../../../api/values/label-selector.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';

export function interleaveZones<Node extends { readonly labels: Labels }>(
  nodes: readonly Node[],
): readonly Node[] {
  const zones = new Map<string, Node[]>();
  for (const node of nodes) {
    const zone = `${node.labels[REGION] ?? ''}:${node.labels[ZONE] ?? ''}`;
    const list = zones.get(zone) ?? [];
    list.push(node);
    zones.set(zone, list);
  }
  if (zones.size <= 1) return nodes;
  const lists = [...zones.values()];
  const rounds = lists.reduce((most, list) => Math.max(most, list.length), 0);
  return Array.from({ length: rounds }, (_, round) =>
    lists.flatMap((list) => list[round] ?? []),
  ).flat();
}
