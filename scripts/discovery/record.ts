/** Records which methods a server serves at which paths, for every resource of its discovery. */
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import {
  keyOf,
  probeResource,
  type Ask,
  type ProbedResource,
  type Refusals,
  type ResourceRecord,
} from './probe.ts';

export const DISCOVERY_FILE = 'test/apiserver/discovery-v1.36.generated.json';

export interface DiscoveryRecord {
  /** The version of the probed server. */
  readonly version: string;
  /** Bodies of 404 and 405 answers, by the names that the records of resources use. */
  readonly refusals: Readonly<Record<string, JsonObject | string>>;
  /** By `group/version/resource`. */
  readonly resources: Readonly<Record<string, ResourceRecord>>;
}

/** `documents`: the answers to `/api` and `/apis` in the aggregated form. */
export async function recordDiscovery(
  version: string,
  documents: readonly JsonObject[],
  ask: Ask,
): Promise<DiscoveryRecord> {
  const refusals: Refusals = new Map();
  const resources: Record<string, ResourceRecord> = {};
  for (const resource of documents.flatMap((document) => [...resourcesOf(document)])) {
    resources[keyOf(resource)] = await probeResource(ask, resource, refusals);
  }
  return { version, refusals: Object.fromEntries(refusals), resources };
}

/** One line per resource, so that a diff is readable. */
export function printRecord({ version, refusals, resources }: DiscoveryRecord): string {
  const lines = Object.entries(resources).map(
    ([key, record]) => `    ${JSON.stringify(key)}: ${JSON.stringify(record)}`,
  );
  return [
    '{',
    `  "version": ${JSON.stringify(version)},`,
    `  "refusals": ${JSON.stringify(refusals)},`,
    '  "resources": {',
    lines.join(',\n'),
    '  }',
    '}',
    '',
  ].join('\n');
}

/** The resources of an APIGroupDiscoveryList. */
export function* resourcesOf(document: JsonObject): Generator<ProbedResource> {
  for (const group of objects(document['items'])) {
    const metadata = isJsonObject(group['metadata']) ? group['metadata'] : {};
    for (const version of objects(group['versions'])) {
      for (const resource of objects(version['resources'])) {
        yield {
          group: text(metadata['name']),
          version: text(version['version']),
          resource: text(resource['resource']),
          namespaced: resource['scope'] === 'Namespaced',
          verbs: texts(resource['verbs']).toSorted(),
          subresources: Object.fromEntries(
            objects(resource['subresources']).map((one) => [
              text(one['subresource']),
              texts(one['verbs']).toSorted(),
            ]),
          ),
        };
      }
    }
  }
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(text) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
