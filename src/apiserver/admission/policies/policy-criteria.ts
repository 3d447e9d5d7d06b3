/** Parses the match criteria of a policy or binding, and checks whether a request meets them. */
import type { LabelSelector } from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { StatusError } from '../../objects/status.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { kindFor, matchesSelectors, versionFor } from '../matching/criteria-match.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import { selectorAt } from '../matching/rule-match.ts';
import { ConfigurationError } from './policy-errors.ts';

export interface Criteria {
  /** Empty: matches all requests. A policy always has rules. */
  readonly rules: readonly JsonObject[];
  readonly excluded: readonly JsonObject[];
  readonly isExact: boolean;
  /** Null: it is invalid. */
  readonly namespaceSelector: LabelSelector | null;
  readonly objectSelector: LabelSelector | null;
}

export function readCriteria(match: JsonObject): Criteria {
  return {
    rules: objectsAt(match, 'resourceRules'),
    excluded: objectsAt(match, 'excludeResourceRules'),
    isExact: match['matchPolicy'] === 'Exact',
    namespaceSelector: selectorAt(match, 'namespaceSelector'),
    objectSelector: selectorAt(match, 'objectSelector'),
  };
}

/**
 * The request in the version that a rule names. Null: the request does not match. Throws a
 * ConfigurationError.
 */
export function meetCriteria(
  criteria: Criteria,
  attributes: DynamicAttributes,
  store: ObjectStore,
  catalog: Catalog,
): DynamicAttributes | null {
  const { rules, excluded, isExact, namespaceSelector, objectSelector } = criteria;
  if (excluded.length > 0 && kindFor({ rules: excluded, isExact }, attributes, catalog)) {
    return null;
  }
  const seen = rules.length === 0 ? attributes : versionFor(criteria, attributes, catalog);
  if (!seen) return null;
  if (!namespaceSelector || !objectSelector) throw new ConfigurationError('invalid selector');
  try {
    const selectors = { namespaceSelector, objectSelector };
    return matchesSelectors(selectors, attributes, store) ? seen : null;
  } catch (error) {
    if (error instanceof StatusError) throw new ConfigurationError(error.message);
    throw error;
  }
}
