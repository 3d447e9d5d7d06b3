/** A term of pod affinity: which pods of which namespaces, near by which node label. */
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
  /** Null: it selects no pod. */
  readonly selector: LabelSelector | null;
  readonly namespaces: ReadonlySet<string>;
  /** Null: only the named namespaces. */
  readonly namespaceSelector: LabelSelector | null;
  readonly topologyKey: string;
}

export interface WeightedTerm {
  readonly weight: number;
  readonly term: AffinityTerm;
}

/** The labels of a namespace, by its name. */
export type NamespaceLabels = (namespace: string) => Labels;

/** The pod's own namespace is meant if no other is named. */
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

/** Null: no selector, or an unreadable one; it selects nothing. */
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
