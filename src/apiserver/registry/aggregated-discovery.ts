/**
 * Builds aggregated discovery (apidiscovery.k8s.io/v2): everything that the server serves in one response, so
 * that kubectl need not send a request for each group. Clients request it in their Accept header; others get
 * the unaggregated lists (catalog.ts).
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition, Subresource } from '../objects/kind.ts';

export const AGGREGATED_TYPE =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const AGGREGATED_PARAMETERS = AGGREGATED_TYPE.split(';');

/** The part of the catalog that this file needs. */
export interface ServedGroups {
  readonly groups: readonly string[];
  versionsOf(group: string): readonly string[];
  kindsOf(group: string, version: string): readonly KindDefinition[];
  verbsOf(definition: KindDefinition): readonly string[];
}

/** Whether the client prefers the aggregated form. */
export function wantsAggregated(accept: string | null): boolean {
  for (const wish of (accept ?? '').split(',')) {
    const words = new Set(wish.split(';').map((word) => word.trim()));
    if (AGGREGATED_PARAMETERS.every((word) => words.has(word))) return true;
    if (words.has('application/json') && ![...words].some((word) => word.startsWith('as='))) {
      return false;
    }
  }
  return false;
}

export function describeGroups(served: ServedGroups): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: served.groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: served.versionsOf(group).map((version) => ({
        version,
        resources: served
          .kindsOf(group, version)
          .map((definition) => describeResource(definition, served.verbsOf(definition))),
        freshness: 'Current',
      })),
    })),
  };
}

/** Group and version appear only where they differ from those of the list, as for a Scale. */
function describeResource(definition: KindDefinition, verbs: readonly string[]): JsonObject {
  const { resource, singular, kind, namespaced, shortNames, categories, subresources } = definition;
  return {
    resource,
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    ...(subresources && { subresources: subresources.map(describeSubresource) }),
  };
}

function describeSubresource({ name, group, version, kind, verbs }: Subresource): JsonObject {
  return {
    subresource: name,
    responseKind: { group: group ?? '', version: version ?? '', kind },
    verbs,
  };
}
