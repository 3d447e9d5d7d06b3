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

export function isAggregated(contentType: string): boolean {
  return /g=apidiscovery\.k8s\.io\b/.test(contentType) && contentType.includes('as=APIGroup');
}

/** From an APIGroupDiscoveryList. A version that it does not name has no resources. */
export function fromAggregated(list: JsonObject, wanted: RemoteVersion): readonly JsonObject[] {
  const group = readObjects(list['items']).find(
    ({ metadata }) => readText(readStruct(metadata)['name']) === wanted.group,
  );
  const version = readObjects(group?.['versions']).find((one) => one['version'] === wanted.version);
  return readObjects(version?.['resources']).map(describeResource);
}

/** From an APIResourceList. */
export function fromResourceList(list: JsonObject): readonly JsonObject[] {
  const all = readObjects(list['resources']);
  return all
    .filter(({ name }) => !readText(name).includes('/'))
    .map((one) => {
      const resource = readText(one['name']);
      const parts = all.filter(({ name }) => readText(name).startsWith(`${resource}/`));
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

function kindOf({ group, version, kind }: JsonObject): JsonObject {
  return { group: readText(group), version: readText(version), kind: readText(kind) };
}

function describeResource(one: JsonObject): JsonObject {
  const [shortNames, categories] = [readTexts(one['shortNames']), readTexts(one['categories'])];
  const subresources = readObjects(one['subresources']).map((part) => ({
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
