/**
 * Which pods a pod wants near, and which it does not want near, or do not want it near. Near is
 * whatever shares the value of a label of nodes: a host, a zone, a rack.
 */
import { matchesLabels, type Labels } from '../../../api/label-selector.ts';
import type { Cluster, NodeView } from './cluster.ts';
import type { AffinityTerm, PodView } from './pod-view.ts';
import { refuse, type Filter } from './refusal.ts';

const NO_COMPANY = "node(s) didn't match pod affinity rules";
const UNWANTED_COMPANY = "node(s) didn't match pod anti-affinity rules";
const UNWANTED_BY_COMPANY = "node(s) didn't satisfy existing pods anti-affinity rules";

/** Places, each as the key and the value of a label. */
type Places = ReadonlySet<string>;

export function affinityFilter(
  pod: PodView,
  nodes: readonly NodeView[],
  cluster: Pick<Cluster, 'keepers' | 'namespaceLabels'>,
): Filter | null {
  const { affinity, antiAffinity } = pod;
  if (affinity.length === 0 && antiAffinity.length === 0 && cluster.keepers.size === 0) return null;
  const labelsOf = (namespace: string): Labels => cluster.namespaceLabels(namespace);
  const isMeant = (term: AffinityTerm, other: PodView): boolean => matches(term, other, labelsOf);
  const wanted = placesOf(nodes, affinity, (_, other) =>
    affinity.every((term) => isMeant(term, other)),
  );
  const unwanted = placesOf(nodes, antiAffinity, isMeant);
  const kept = placesOfKeepers(nodes, cluster.keepers, (term) => isMeant(term, pod));
  // The first of a kind that wants its own kind has to start somewhere.
  const isFirst = wanted.size === 0 && affinity.every((term) => isMeant(term, pod));
  return (node) => {
    if (!hasAll(affinity, node, wanted, isFirst)) return refuse(NO_COMPANY, 'for good', 'pods');
    if (antiAffinity.some((term) => isIn(unwanted, term.topologyKey, node))) {
      return refuse(UNWANTED_COMPANY, 'while others are there');
    }
    const isKept = Object.keys(node.labels).some((key) => isIn(kept, key, node));
    return isKept ? refuse(UNWANTED_BY_COMPANY, 'while others are there') : null;
  };
}

function hasAll(
  terms: readonly AffinityTerm[],
  node: NodeView,
  wanted: Places,
  isFirst: boolean,
): boolean {
  return terms.every(({ topologyKey }) => {
    if (!Object.hasOwn(node.labels, topologyKey)) return false;
    return isFirst || isIn(wanted, topologyKey, node);
  });
}

function placesOf(
  nodes: readonly NodeView[],
  terms: readonly AffinityTerm[],
  isMeant: (term: AffinityTerm, pod: PodView) => boolean,
): Places {
  const places = new Set<string>();
  if (terms.length === 0) return places;
  for (const node of nodes) {
    const found = terms.filter(({ topologyKey }) => Object.hasOwn(node.labels, topologyKey));
    for (const pod of found.length > 0 ? node.load.pods.values() : []) {
      for (const term of found) {
        if (isMeant(term, pod)) places.add(placeOf(term.topologyKey, node));
      }
    }
  }
  return places;
}

function placesOfKeepers(
  nodes: readonly NodeView[],
  keepers: ReadonlySet<PodView>,
  isMeant: (term: AffinityTerm) => boolean,
): Places {
  const places = new Set<string>();
  if (keepers.size === 0) return places;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  for (const { nodeName, antiAffinity } of keepers) {
    const node = byName.get(nodeName);
    for (const term of node ? antiAffinity : []) {
      if (node && Object.hasOwn(node.labels, term.topologyKey) && isMeant(term)) {
        places.add(placeOf(term.topologyKey, node));
      }
    }
  }
  return places;
}

function matches(
  { selector, namespaces, namespaceSelector }: AffinityTerm,
  pod: PodView,
  labelsOf: (namespace: string) => Labels,
): boolean {
  const isInNamespace =
    namespaces.has(pod.namespace) ||
    (namespaceSelector !== null && matchesLabels(namespaceSelector, labelsOf(pod.namespace)));
  return isInNamespace && selector !== null && matchesLabels(selector, pod.labels);
}

function isIn(places: Places, key: string, node: NodeView): boolean {
  return Object.hasOwn(node.labels, key) && places.has(placeOf(key, node));
}

function placeOf(key: string, { labels }: NodeView): string {
  return `${key}=${labels[key]}`;
}
