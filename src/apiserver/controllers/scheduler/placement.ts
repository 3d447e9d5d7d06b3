/**
 * Finds a node for a pod, or says why there is none.
 *
 * Every node is asked the same questions in the order in which kube-scheduler asks them, and the first
 * that has something against the pod is its reason. Of the nodes that are left the one with the most
 * room is taken. What only expresses a wish (preferred affinity, soft spreading, PreferNoSchedule) is
 * not looked at, and nobody is driven away for a pod of higher priority.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { textAt } from '../../kinds/field-path.ts';
import type { Cluster, NodeView } from './cluster.ts';
import { namedNodes, wantsNode } from './node-affinity.ts';
import { checkPorts, checkRoom } from './node-room.ts';
import { affinityFilter } from './pod-affinity.ts';
import type { PodView } from './pod-view.ts';
import { refuse, type Filter, type Hope, type Refusal } from './refusal.ts';
import { roomiest } from './scoring.ts';
import { toleratesAll } from './taints.ts';
import { spreadFilter } from './topology-spread.ts';

export type Placement =
  | { readonly type: 'fits'; readonly node: string }
  | { readonly type: 'unschedulable'; readonly message: string; readonly hopes: ReadonlySet<Hope> };

const UNSCHEDULABLE_TAINT = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};
const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

/** `obstacle`: what is against every node, such as a volume that is not there. */
export function placePod(pod: PodView, cluster: Cluster, obstacle: string | null): Placement {
  const nodes = cluster.nodes();
  if (nodes.length === 0) return giveUp('no nodes available to schedule pods', 'nodes');
  const names = namedNodes(pod.object);
  if (names?.size === 0) return giveUp(obstructed(nodes.length, 'pod affinity terms conflict'));
  if (obstacle !== null) return giveUp(obstructed(nodes.length, obstacle), 'volumes');
  const filters = filtersFor(pod, nodes, cluster);
  const judged = nodes.map((node) => [node, judge(node, names, filters)] as const);
  const fitting = judged.flatMap(([node, refusal]) => (refusal ? [] : node));
  const best = roomiest(pod, fitting);
  if (best) return { type: 'fits', node: best.name };
  const refusals = judged.flatMap(([, refusal]) => refusal ?? []);
  const hopes = refusals.map(({ hope }) => hope);
  return giveUp(explain(pod.object, refusals), 'nodes', ...hopes);
}

function giveUp(message: string, ...hopes: readonly Hope[]): Placement {
  return { type: 'unschedulable', message, hopes: new Set(hopes) };
}

/** kube-scheduler has nothing to look for a victim with then, and says so: `not found`. */
function obstructed(nodes: number, obstacle: string): string {
  return `${headline(nodes)} ${obstacle}. not found`;
}

function filtersFor(pod: PodView, nodes: readonly NodeView[], cluster: Cluster): readonly Filter[] {
  const { object, tolerations } = pod;
  const filters: readonly (Filter | null)[] = [
    ({ isUnschedulable }) =>
      isUnschedulable && !toleratesAll(tolerations, [UNSCHEDULABLE_TAINT], HARD_EFFECTS)
        ? refuse('node(s) were unschedulable', 'for good')
        : null,
    ({ taints }) =>
      toleratesAll(tolerations, taints, HARD_EFFECTS)
        ? null
        : refuse('node(s) had untolerated taint(s)', 'for good'),
    (node) =>
      wantsNode(object, node)
        ? null
        : refuse("node(s) didn't match Pod's node affinity/selector", 'for good'),
    (node) => checkPorts(pod, node),
    (node) => checkRoom(pod, node),
    spreadFilter(pod, nodes),
    affinityFilter(pod, nodes, cluster),
  ];
  return filters.filter((filter) => filter !== null);
}

function judge(
  node: NodeView,
  names: ReadonlySet<string> | null,
  filters: readonly Filter[],
): Refusal | null {
  if (names && !names.has(node.name)) {
    return refuse("node(s) didn't satisfy plugin(s) [NodeAffinity]", 'for good');
  }
  for (const filter of filters) {
    const refusal = filter(node);
    if (refusal) return refusal;
  }
  return null;
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. …` */
function explain(pod: JsonObject, refusals: readonly Refusal[]): string {
  const reasons = histogram(refusals.flatMap((refusal) => refusal.reasons));
  const movable = refusals.filter(({ lasts }) => lasts === 'while others are there').length;
  const after = explainPreemption(pod, refusals.length, movable);
  return `${headline(refusals.length)} ${reasons}. ${after}`;
}

/** What kube-scheduler says after it looked for pods of lower priority and found none. */
function explainPreemption(pod: JsonObject, nodes: number, movable: number): string {
  const claims = 'no new claims to deallocate, preemption:';
  if (textAt(pod, 'spec.preemptionPolicy') === 'Never') {
    return `${claims} not eligible due to preemptionPolicy=Never.`;
  }
  const reasons = histogram([
    ...Array<string>(movable).fill('No preemption victims found for incoming pod'),
    ...Array<string>(nodes - movable).fill('Preemption is not helpful for scheduling'),
  ]);
  return `${claims} ${headline(nodes)} ${reasons}.`;
}

function headline(nodes: number): string {
  return `0/${nodes} nodes are available:`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
