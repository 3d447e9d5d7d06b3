/**
 * Filters by required pod affinity and anti-affinity, the latter in both directions. Two pods are in the same
 * topology domain if their nodes share the value of a label: a host, a zone, a rack.
 *
 * For each topology domain it counts the pods that match all affinity terms, the pods that match an
 * anti-affinity term, and the existing pods whose own anti-affinity matches the new pod.
 */
import type { Cluster, NodeView } from '../cluster.ts';
import { termMatches, type AffinityTerm, type NamespaceLabels } from '../affinity-term.ts';
import type { PodView } from '../pod-view.ts';
import { refuseNode, type NodeFilter, type PodCounts, type Refusal } from '../refusal.ts';
import { DomainCounts } from './domain-counts.ts';

const NO_MATCH = "node(s) didn't match pod affinity rules";
const ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules";
const EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules";

export function affinityFilter(
  pod: PodView,
  nodes: readonly NodeView[],
  cluster: Pick<Cluster, 'antiAffinityPods' | 'namespaceLabels' | 'node'>,
): NodeFilter | null {
  const { affinity, antiAffinity } = pod;
  const labelsOf: NamespaceLabels = (namespace) => cluster.namespaceLabels(namespace);
  const filter = new PodAffinityFilter(pod, labelsOf);
  for (const other of cluster.antiAffinityPods) {
    const node = cluster.node(other.nodeName);
    if (node) filter.countExisting(other, node, 1);
  }
  const isPicky = affinity.length > 0 || antiAffinity.length > 0;
  if (!isPicky && filter.isIdle) return null;
  for (const node of isPicky ? nodes : []) {
    for (const other of node.load.pods.values()) filter.countWanted(other, node, 1);
  }
  return filter;
}

class PodAffinityFilter implements NodeFilter, PodCounts {
  readonly #pod: PodView;
  readonly #labelsOf: NamespaceLabels;
  readonly #wanted: DomainCounts;
  readonly #unwanted: DomainCounts;
  readonly #existing: DomainCounts;
  /** True: the pod matches its own affinity, so the first such pod may go to any node with the labels. */
  readonly #matchesItself: boolean;

  constructor(
    pod: PodView,
    labelsOf: NamespaceLabels,
    counts = [new DomainCounts(), new DomainCounts(), new DomainCounts()] as const,
  ) {
    this.#pod = pod;
    this.#labelsOf = labelsOf;
    [this.#wanted, this.#unwanted, this.#existing] = counts;
    this.#matchesItself = this.#satisfiesAll(pod);
  }

  get isIdle(): boolean {
    return this.#existing.isEmpty;
  }

  get counts(): PodCounts {
    return this;
  }

  check({ labels }: NodeView): Refusal | null {
    const { affinity, antiAffinity } = this.#pod;
    if (!this.#hasAll(affinity, labels)) return refuseNode('InterPodAffinity', NO_MATCH);
    if (antiAffinity.some(({ topologyKey }) => this.#unwanted.at(topologyKey, labels) > 0)) {
      return refuseNode('InterPodAffinity', ANTI_AFFINITY, true);
    }
    const isKept =
      !this.#existing.isEmpty &&
      Object.keys(labels).some((key) => this.#existing.at(key, labels) > 0);
    return isKept ? refuseNode('InterPodAffinity', EXISTING_ANTI_AFFINITY, true) : null;
  }

  change(pod: PodView, node: NodeView, sign: 1 | -1): void {
    this.countExisting(pod, node, sign);
    this.countWanted(pod, node, sign);
  }

  copy(): NodeFilter {
    return new PodAffinityFilter(this.#pod, this.#labelsOf, [
      this.#wanted.copy(),
      this.#unwanted.copy(),
      this.#existing.copy(),
    ]);
  }

  /** Counts another pod if its own anti-affinity matches the new pod. */
  countExisting(other: PodView, { labels }: NodeView, sign: 1 | -1): void {
    for (const term of other.antiAffinity) {
      if (termMatches(term, this.#pod, this.#labelsOf)) {
        this.#existing.add(term.topologyKey, labels, sign);
      }
    }
  }

  countWanted(other: PodView, { labels }: NodeView, sign: 1 | -1): void {
    const { affinity, antiAffinity } = this.#pod;
    if (this.#satisfiesAll(other)) {
      for (const { topologyKey } of affinity) this.#wanted.add(topologyKey, labels, sign);
    }
    for (const term of antiAffinity) {
      if (termMatches(term, other, this.#labelsOf)) {
        this.#unwanted.add(term.topologyKey, labels, sign);
      }
    }
  }

  #hasAll(terms: readonly AffinityTerm[], labels: NodeView['labels']): boolean {
    if (terms.length === 0) return true;
    if (!terms.every(({ topologyKey }) => Object.hasOwn(labels, topologyKey))) return false;
    if (terms.every(({ topologyKey }) => this.#wanted.at(topologyKey, labels) > 0)) return true;
    return this.#wanted.isEmpty && this.#matchesItself;
  }

  #satisfiesAll(other: PodView): boolean {
    const { affinity } = this.#pod;
    return (
      affinity.length > 0 && affinity.every((term) => termMatches(term, other, this.#labelsOf))
    );
  }
}
