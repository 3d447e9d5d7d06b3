/**
 * Makes kinds of a CustomResourceDefinition: one for each version that it serves.
 *
 * All versions are sights of the same objects. These are kept once, under the version that the
 * definition names for it; read through another, an object says that version, has its defaults, and
 * lacks what that version does not know (conversion None). Conversion by a webhook is not offered:
 * then only the version in which objects are kept is served, rather than wrong ones.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition, StoredForm, Subresource } from '../kind.ts';
import { statusSubresource } from '../kinds/plain-kind.ts';
import { scaleSubresource } from '../scale.ts';
import type { Crd, CrdVersion } from './crd.ts';
import { customRules } from './custom-rules.ts';
import type { CustomKind } from './custom-object.ts';
import { customScaling, readScalePaths } from './custom-scaling.ts';
import { fillDefaults } from './defaulting.ts';
import { printerColumns } from './printer-columns.ts';
import { dropNulls, pruneResource } from './pruning.ts';
import type { Schema } from './schema.ts';
import { compareVersions } from './version-order.ts';

/** As kube-apiserver lists them for custom kinds. */
const VERBS = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
] as const;

/** The versions that are served, the preferred one first; none while its names are not its own. */
export function definitionsOf(crd: Crd): readonly CustomKind[] {
  const storage = storageOf(crd);
  if (!storage || !(crd.isAccepted || crd.isEstablished)) return [];
  return crd.versions
    .filter(({ isServed, isStorage }) => isServed && (isStorage || !crd.hasWebhookConversion))
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => ({ ...defineVersion(crd, version), storedAs: storedForm(crd, version) }));
}

/** The kind under which the objects are kept, served or not. */
export function storageOf(crd: Crd): CustomKind | undefined {
  const version = crd.versions.find(({ isStorage }) => isStorage);
  return version && defineVersion(crd, version);
}

function defineVersion(crd: Crd, version: CrdVersion): CustomKind {
  const { group, isNamespaced, acceptedNames } = crd;
  const { plural, singular, shortNames, kind, listKind, categories } = acceptedNames;
  const subresources = subresourcesOf(version, kind);
  const warning = warningOf(crd, version);
  return {
    group,
    version: version.name,
    kind,
    listKind,
    resource: plural,
    singular,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    namespaced: isNamespaced,
    schema: version.schema,
    openApiSchema: version.schema.source,
    verbs: VERBS,
    ...(subresources.length > 0 && { subresources }),
    rules: customRules(crd, version),
    columns: printerColumns(version.columns),
    ...(warning !== undefined && { warning }),
  };
}

function subresourcesOf({ hasStatus, scale }: CrdVersion, kind: string): readonly Subresource[] {
  return [
    ...(hasStatus ? [statusSubresource(kind)] : []),
    ...(scale ? [scaleSubresource(customScaling(readScalePaths(scale)))] : []),
  ];
}

function warningOf(crd: Crd, version: CrdVersion): string | undefined {
  if (!version.isDeprecated) return undefined;
  if (version.deprecationWarning !== '') return version.deprecationWarning;
  const { group, names } = crd;
  const [replacement] = crd.versions
    .filter(({ isServed, isDeprecated }) => isServed && !isDeprecated)
    .map(({ name }) => name)
    .filter((name) => compareVersions(name, version.name) < 0)
    .toSorted(compareVersions);
  const said = `${group}/${version.name} ${names.kind} is deprecated`;
  return replacement === undefined ? said : `${said}; use ${group}/${replacement} ${names.kind}`;
}

function storedForm(crd: Crd, version: CrdVersion): StoredForm {
  const storage = storageOf(crd) ?? defineVersion(crd, version);
  const read = converterTo(crd.group, version.name, version.schema, true);
  const write = converterTo(crd.group, storage.version, storage.schema, false);
  return { definition: keeper(storage), fromStored: read, toStored: write };
}

/** Where the objects stand is all that is asked of it. */
function keeper(definition: KindDefinition): KindDefinition {
  const { storedAs: _, ...rest } = definition;
  return rest;
}

/** One object is read many times, and nobody changes it. */
function converterTo(
  group: string,
  version: string,
  schema: Schema,
  hasDefaults: boolean,
): (object: JsonObject) => JsonObject {
  const known = new WeakMap<JsonObject, JsonObject>();
  const apiVersion = `${group}/${version}`;
  return (object) => {
    const found = known.get(object);
    if (found) return found;
    const said = object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
    const pruned = dropNulls(pruneResource(said, schema).object, schema);
    const filled = hasDefaults ? fillDefaults(pruned, schema) : pruned;
    const converted = isJsonObject(filled) ? filled : said;
    known.set(object, converted);
    return converted;
  };
}
