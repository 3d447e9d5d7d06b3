/**
 * Matches a request with the criteria of webhooks, policies and bindings: resource rules, and selectors for
 * namespaces and objects.
 *
 * With matchPolicy Equivalent, a rule for one version of a kind also matches requests in its other versions:
 * the webhook or policy then gets the object in the version that the rule names.
 */
import type { LabelSelector } from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { convertAttributes, equivalentsOf, type DynamicAttributes } from './dynamic-attributes.ts';
import { matchesNamespace, matchesObject, matchesRule } from './rule-match.ts';

export interface ResourceRules {
  readonly rules: readonly JsonObject[];
  readonly isExact: boolean;
}

export interface Selectors {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
}

/** The kind whose version a rule names. Null: no rule matches the request. */
export function kindFor(
  { rules, isExact }: ResourceRules,
  attributes: DynamicAttributes,
  catalog: Catalog,
): KindDefinition | null {
  if (rules.some((rule) => matchesRule(rule, attributes))) return attributes.request.definition;
  if (isExact) return null;
  const others = equivalentsOf(attributes.request.definition, catalog);
  for (const rule of rules) {
    const found = others.find((one) => matchesRule(rule, attributes, one));
    if (found) return found;
  }
  return null;
}

/** The request, converted to the version that a rule names. Null: no rule matches the request. */
export function versionFor(
  criteria: ResourceRules,
  attributes: DynamicAttributes,
  catalog: Catalog,
): DynamicAttributes | null {
  const found = kindFor(criteria, attributes, catalog);
  if (found === null || found === attributes.request.definition) return found && attributes;
  return convertAttributes(attributes, found);
}

/** Throws a StatusError if the namespace is missing. */
export function matchesSelectors(
  { namespaceSelector, objectSelector }: Selectors,
  attributes: DynamicAttributes,
  store: ObjectStore,
): boolean {
  if (!matchesObject(objectSelector, attributes)) return false;
  return matchesNamespace(namespaceSelector, attributes, store);
}
