/** Parses and matches one term of pod affinity: a label selector, namespaces and a topology key. */
import {
  matchesLabels,
  selectorFromObject,
  type Labels,
  type LabelSelector,
} from '../../../api/values/label-selector.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  readObject,
  readText,
  readTexts,
  type Value,
} from '../../../api/validation/json-reading.ts';
import type { PodView } from './pod-view.ts';

export interface AffinityTerm {
  /** Null: selects no pod. */
  readonly selector: LabelSelector | null;
  readonly namespaces: ReadonlySet<string>;
  /** Null: only the namespaces that the term names. */
  readonly namespaceSelector: LabelSelector | null;
  readonly topologyKey: string;
}

export interface WeightedTerm {
  readonly weight: number;
  readonly term: AffinityTerm;
}

/** The labels of a namespace, by its name. */
export type NamespaceLabels = (namespace: string) => Labels;

/** Without namespaces, the term means the pod's own namespace. */
export function readAffinityTerm(term: JsonObject, namespace: string): AffinityTerm {
  const named = readTexts(term['namespaces']);
  const namespaceSelector = readTermSelector(term['namespaceSelector']);
  const isOwn = named.length === 0 && namespaceSelector === null;
  return {
    selector: readTermSelector(term['labelSelector']),
    namespaces: new Set(isOwn ? [namespace] : named),
    namespaceSelector,
    topologyKey: readText(term['topologyKey']),
  };
}

/** Null: there is no selector or it is invalid, so it selects nothing. */
export function readTermSelector(value: Value): LabelSelector | null {
  const given = readObject(value);
  if (!given) return null;
  try {
    return selectorFromObject(given);
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}

export function termMatches(
  { selector, namespaces, namespaceSelector }: AffinityTerm,
  pod: PodView,
  labelsOf: NamespaceLabels,
): boolean {
  if (selector === null || !matchesLabels(selector, pod.labels)) return false;
  return (
    namespaces.has(pod.namespace) ||
    (namespaceSelector !== null && matchesLabels(namespaceSelector, labelsOf(pod.namespace)))
  );
}
