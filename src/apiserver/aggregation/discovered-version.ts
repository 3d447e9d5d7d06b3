/**
 * One version of another API server, as aggregated discovery describes it: from its own aggregated discovery, or
 * from the older list of resources, which is converted.
 *
 * Only known fields are taken over, and only those of this version: a server cannot add anything to discovery
 * except the version that its APIService names.
 */
import type { JsonObject } from '../../lib/json.ts';
import { readFlag, readObjects, readStruct, readText } from '../../api/validation/json-reading.ts';
import { readTexts } from '../../api/validation/json-reading.ts';
import type { RemoteVersion } from '../objects/remote-apis.ts';

export const AGGREGATED_ACCEPT = ['v2', 'v2beta1']
  .map((v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`)
  .join(',');

/** No API server has more resources in one version; without a limit its answer could fill the memory. */
const RESOURCES_MAX = 1000;
const SUBRESOURCES_MAX = 50;

export function isAggregated(contentType: string): boolean {
  return /g=apidiscovery\.k8s\.io\b/.test(contentType) && contentType.includes('as=APIGroup');
}

/** From an APIGroupDiscoveryList. A version that it does not name has no resources. */
export function fromAggregated(list: JsonObject, wanted: RemoteVersion): readonly JsonObject[] {
  const group = readObjects(list['items']).find(
    ({ metadata }) => readText(readStruct(metadata)['name']) === wanted.group,
  );
  const version = readObjects(group?.['versions']).find((one) => one['version'] === wanted.version);
  return readObjects(version?.['resources'])
    .filter(({ resource }) => readText(resource) !== '')
    .slice(0, RESOURCES_MAX)
    .map(describeResource);
}

/** From an APIResourceList. */
export function fromResourceList(list: JsonObject): readonly JsonObject[] {
  const all = readObjects(list['resources']);
  const partsOf = subresourcesOf(all);
  return all
    .filter(({ name }) => !readText(name).includes('/'))
    .filter(({ name }) => readText(name) !== '')
    .slice(0, RESOURCES_MAX)
    .map((one) => {
      const resource = readText(one['name']);
      const parts = partsOf.get(resource) ?? [];
      return describeResource({
        ...one,
        resource,
        responseKind: kindOf(one),
        scope: readFlag(one['namespaced']) ? 'Namespaced' : 'Cluster',
        singularResource: one['singularName'] ?? '',
        subresources: parts.map((part) => ({
          ...part,
          subresource: readText(part['name']).slice(resource.length + 1),
          responseKind: kindOf(part),
        })),
      });
    });
}

/** By the resource that they belong to; in one pass, because a server may list any number of them. */
function subresourcesOf(all: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const parts = new Map<string, JsonObject[]>();
  for (const one of all) {
    const name = readText(one['name']);
    const end = name.indexOf('/');
    if (end < 0) continue;
    const resource = name.slice(0, end);
    const known = parts.get(resource);
    if (known) known.push(one);
    else parts.set(resource, [one]);
  }
  return parts;
}

function kindOf({ group, version, kind }: JsonObject): JsonObject {
  return { group: readText(group), version: readText(version), kind: readText(kind) };
}

function describeResource(one: JsonObject): JsonObject {
  const [shortNames, categories] = [readTexts(one['shortNames']), readTexts(one['categories'])];
  const parts = readObjects(one['subresources']).slice(0, SUBRESOURCES_MAX);
  const subresources = parts.map((part) => ({
    subresource: readText(part['subresource']),
    responseKind: kindOf(readStruct(part['responseKind'])),
    verbs: readTexts(part['verbs']),
  }));
  return {
    resource: readText(one['resource']),
    responseKind: kindOf(readStruct(one['responseKind'])),
    scope: one['scope'] === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: readText(one['singularResource']),
    verbs: readTexts(one['verbs']),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources }),
  };
}
