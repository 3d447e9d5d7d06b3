/**
 * Finds the kind of a store key or of an object reference. Looked up each time, because custom kinds may be
 * added and removed.
 */
import type { JsonObject } from '../../lib/json.ts';
import { verbsOf, type Catalog } from '../registry/catalog.ts';
import type { KindDefinition, Verb } from '../objects/kind.ts';
import { textOf } from '../objects/metadata.ts';
import { prefixOf, type Target } from '../registry/registry.ts';
import { storageVersionOf } from '../objects/stored-form.ts';
import { readKey } from './object-key.ts';

/** Undefined: objects of this kind are not served, or no longer. */
export function targetOfKey(catalog: Catalog, key: string, object: JsonObject): Target | undefined {
  const { group, resource, namespace, name } = readKey(key);
  const { version } = splitApiVersion(textOf(object['apiVersion']));
  const definition =
    catalog.find(group, version, resource) ??
    catalog.all().find((kind) => kind.group === group && kind.resource === resource);
  return definition && { definition, namespace, name };
}

/** The kind of a reference such as `{apiVersion: 'apps/v1', kind: 'Deployment'}`. */
export function kindOfReference(
  catalog: Catalog,
  apiVersion: string,
  kind: string,
): KindDefinition | undefined {
  const { group, version } = splitApiVersion(apiVersion);
  return catalog
    .all()
    .find((one) => one.group === group && one.version === version && one.kind === kind);
}

/** Each stored resource once, with a kind by which its objects can be accessed. */
export function storedKinds(
  catalog: Catalog,
  needs: readonly Verb[] = [],
): readonly KindDefinition[] {
  const kinds = new Map<string, KindDefinition>();
  for (const definition of catalog.all()) {
    const verbs = verbsOf(definition);
    if (!needs.every((verb) => verbs.includes(verb))) continue;
    const prefix = prefixOf(definition, '');
    // The kind in the storage version takes precedence over kinds that must be converted.
    if (!kinds.has(prefix) || storageVersionOf(definition) === definition)
      kinds.set(prefix, definition);
  }
  return [...kinds.values()];
}

function splitApiVersion(apiVersion: string): {
  readonly group: string;
  readonly version: string;
} {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
