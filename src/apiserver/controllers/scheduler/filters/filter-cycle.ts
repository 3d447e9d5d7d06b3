/**
 * Runs the filters for one pod, in kube-scheduler's order. The first filter that refuses a node gives the
 * reason.
 *
 * Pods with the same or a higher priority that are nominated to a node count as if they ran there, because
 * capacity was freed for them. The pod must fit with them and without them, because they may end up on
 * another node.
 */
import type { Cluster, NodeView } from '../cluster.ts';
import { readNodeRequirement } from '../node-affinity.ts';
import type { Nominations } from '../nominations.ts';
import type { PodView } from '../pod-view.ts';
import { refuseNode, type NodeFilter, type Refusal } from '../refusal.ts';
import type { PodClaims } from '../storage/pod-claims.ts';
import { volumeFilters, type VolumeDeps } from '../storage/volume-filters.ts';
import { toleratesAll } from '../taints.ts';
import { checkCapacity, checkPorts } from './node-capacity.ts';
import { affinityFilter } from './pod-affinity.ts';
import { spreadFilter } from './topology-spread.ts';

const UNSCHEDULABLE_TAINT = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};
const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

export interface CycleDeps extends VolumeDeps {
  readonly cluster: Cluster;
}

export class FilterCycle {
  readonly #pod: PodView;
  readonly #filters: readonly NodeFilter[];
  readonly #nominations: Nominations;

  constructor(pod: PodView, filters: readonly NodeFilter[], nominations: Nominations) {
    this.#pod = pod;
    this.#filters = filters;
    this.#nominations = nominations;
  }

  /** Null: the pod fits on the node. */
  check(node: NodeView): Refusal | null {
    const { key, priority } = this.#pod;
    const nominated = this.#nominations
      .on(node.name)
      .filter((other) => other.priority >= priority && other.key !== key);
    if (nominated.length > 0) {
      for (const other of nominated) this.add(other, node);
      const refusal = this.#run(node);
      for (const other of nominated) this.remove(other, node);
      if (refusal) return refusal;
    }
    return this.#run(node);
  }

  add(pod: PodView, node: NodeView): void {
    node.load.add(pod);
    for (const { counts } of this.#filters) counts?.change(pod, node, 1);
  }

  remove(pod: PodView, node: NodeView): void {
    node.load.remove(pod);
    for (const { counts } of this.#filters) counts?.change(pod, node, -1);
  }

  /** For a dry run, in which the node must be a copy, too. */
  copy(): FilterCycle {
    const filters = this.#filters.map((filter) => filter.counts?.copy() ?? filter);
    return new FilterCycle(this.#pod, filters, this.#nominations);
  }

  #run(node: NodeView): Refusal | null {
    for (const filter of this.#filters) {
      const refusal = filter.check(node);
      if (refusal) return refusal;
    }
    return null;
  }
}

export function startFilterCycle(pod: PodView, claims: PodClaims, deps: CycleDeps): FilterCycle {
  const { cluster } = deps;
  const { object, tolerations } = pod;
  const nodes = cluster.nodes();
  const requirement = readNodeRequirement(object);
  const ofNode: readonly NodeFilter['check'][] = [
    ({ isUnschedulable }) =>
      isUnschedulable && !toleratesAll(tolerations, [UNSCHEDULABLE_TAINT], HARD_EFFECTS)
        ? refuseNode('NodeUnschedulable', 'node(s) were unschedulable')
        : null,
    ({ taints }) =>
      toleratesAll(tolerations, taints, HARD_EFFECTS)
        ? null
        : refuseNode('TaintToleration', 'node(s) had untolerated taint(s)'),
    (node) =>
      requirement(node)
        ? null
        : refuseNode('NodeAffinity', "node(s) didn't match Pod's node affinity/selector"),
    (node) => checkPorts(pod, node),
    (node) => checkCapacity(pod, node),
  ];
  const filters: readonly (NodeFilter | null)[] = [
    ...ofNode.map((check) => ({ check })),
    ...volumeFilters(pod, claims, deps),
    spreadFilter(pod, nodes, requirement),
    affinityFilter(pod, nodes, cluster),
  ];
  return new FilterCycle(
    pod,
    filters.filter((filter) => filter !== null),
    cluster.nominations,
  );
}
