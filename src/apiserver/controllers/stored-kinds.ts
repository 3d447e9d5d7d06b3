/** The kinds of store keys and of references, looked up when needed: custom kinds come and go. */
import type { JsonObject } from '../../lib/json.ts';
import { verbsOf, type Catalog } from '../registry/catalog.ts';
import type { KindDefinition, Verb } from '../objects/kind.ts';
import { textOf } from '../objects/metadata.ts';
import { prefixOf, type Target } from '../registry/registry.ts';
import { storageVersionOf } from '../objects/stored-form.ts';
import { readKey } from './object-key.ts';

/** Undefined: objects of this kind are not served (any more). */
export function targetOfKey(catalog: Catalog, key: string, object: JsonObject): Target | undefined {
  const { group, resource, namespace, name } = readKey(key);
  const { version } = splitApiVersion(textOf(object['apiVersion']));
  const definition =
    catalog.find(group, version, resource) ??
    catalog.all().find((kind) => kind.group === group && kind.resource === resource);
  return definition && { definition, namespace, name };
}

/** The kind that a reference such as `{apiVersion: 'apps/v1', kind: 'Deployment'}` means. */
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

/** Every stored resource once, with a kind under which its objects can be reached. */
export function storedKinds(
  catalog: Catalog,
  needs: readonly Verb[] = [],
): readonly KindDefinition[] {
  const places = new Map<string, KindDefinition>();
  for (const definition of catalog.all()) {
    const verbs = verbsOf(definition);
    if (!needs.every((verb) => verbs.includes(verb))) continue;
    const place = prefixOf(definition, '');
    // The kind that is stored here takes precedence over kinds that are converted.
    if (!places.has(place) || storageVersionOf(definition) === definition)
      places.set(place, definition);
  }
  return [...places.values()];
}

function splitApiVersion(apiVersion: string): {
  readonly group: string;
  readonly version: string;
} {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
