/**
 * Decides whether a webhook is called for a request, and in which version of the kind: by its rules, then its
 * selectors, then its match conditions. If a condition fails to evaluate, the failure policy decides.
 */
import { Budget } from '../../../cel/cel.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { Access } from '../../objects/access.ts';
import { forbidden, internalError } from '../../objects/status.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { meetsConditions } from '../matching/condition-match.ts';
import { matchesSelectors, versionFor } from '../matching/criteria-match.ts';
import type { DynamicAttributes } from '../matching/dynamic-attributes.ts';
import { inputOf } from '../matching/expression-input.ts';
import { MATCH_SCOPE, type Webhook } from './webhook-configurations.ts';

export interface MatchDeps {
  readonly store: ObjectStore;
  readonly catalog: Catalog;
  readonly authorize: Access['authorize'];
}

/** The request as the webhook sees it; null: the webhook is not called. Throws a StatusError. */
export function matchWebhook(
  webhook: Webhook,
  attributes: DynamicAttributes,
  deps: MatchDeps,
): DynamicAttributes | null {
  const { namespaceSelector, objectSelector, name } = webhook;
  const seen = versionFor(webhook, attributes, deps.catalog);
  if (!seen) return null;
  if (!namespaceSelector || !objectSelector) {
    throw internalError(`the selectors of webhook ${JSON.stringify(name)} are invalid`);
  }
  const selectors = { namespaceSelector, objectSelector };
  if (!matchesSelectors(selectors, attributes, deps.store)) return null;
  return isMet(webhook, seen, deps) ? seen : null;
}

function isMet(webhook: Webhook, seen: DynamicAttributes, deps: MatchDeps): boolean {
  const { matchConditions, isIgnored } = webhook;
  if (matchConditions.length === 0) return true;
  const input = inputOf(seen, deps);
  const met = meetsConditions(matchConditions, MATCH_SCOPE, input, new Budget(Infinity));
  if (typeof met === 'boolean') return met;
  if (isIgnored) return false;
  const { definition, name } = seen.request;
  throw forbidden(definition, name, met.problem);
}
