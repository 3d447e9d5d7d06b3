/**
 * Converts a CustomResourceDefinition to kind definitions: one for each served version.
 *
 * All versions serve the same objects. These are stored once, in the storage version; read through another
 * version, an object gets that apiVersion and its defaults, and loses fields that version does not have
 * (conversion None). Conversion webhooks are not supported: then only the storage version is served, rather
 * than wrong objects.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition, StoredForm, Subresource } from '../objects/kind.ts';
import { statusSubresource } from '../objects/plain-kind.ts';
import { scaleSubresource } from '../registry/scale.ts';
import type { Crd, CrdVersion } from './crd.ts';
import { customRules } from './custom-rules.ts';
import type { CustomKind } from '../schema/custom-object.ts';
import { customScaling, readScalePaths } from './custom-scaling.ts';
import { fillDefaults } from './defaulting.ts';
import { printerColumns } from './printer-columns.ts';
import { dropNulls, pruneResource } from '../schema/pruning.ts';
import type { Schema } from '../schema/schema.ts';
import { compareVersions } from '../objects/version-order.ts';

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

/** The served versions, the preferred one first; none before its names are accepted. */
export function definitionsOf(crd: Crd): readonly CustomKind[] {
  const storage = storageOf(crd);
  if (!storage || !(crd.isAccepted || crd.isEstablished)) return [];
  return crd.versions
    .filter(({ isServed, isStorage }) => isServed && (isStorage || !crd.hasWebhookConversion))
    .toSorted((a, b) => compareVersions(a.name, b.name))
    .map((version) => ({ ...defineVersion(crd, version), storedAs: storedForm(crd, version) }));
}

/** The kind under which the objects are stored, served or not. */
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
  const given = `${group}/${version.name} ${names.kind} is deprecated`;
  return replacement === undefined ? given : `${given}; use ${group}/${replacement} ${names.kind}`;
}

function storedForm(crd: Crd, version: CrdVersion): StoredForm {
  const storage = storageOf(crd) ?? defineVersion(crd, version);
  const read = converterTo(crd.group, version.name, version.schema, true);
  const write = converterTo(crd.group, storage.version, storage.schema, false);
  return { definition: storageDefinition(storage), fromStored: read, toStored: write };
}

/** Only the position of the objects in the store matters here. */
function storageDefinition(definition: KindDefinition): KindDefinition {
  const { storedAs: _, ...rest } = definition;
  return rest;
}

/** An object is read many times and never changes, so results are cached. */
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
    const given = object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
    const pruned = dropNulls(pruneResource(given, schema).object, schema);
    const filled = hasDefaults ? fillDefaults(pruned, schema) : pruned;
    const converted = isJsonObject(filled) ? filled : given;
    known.set(object, converted);
    return converted;
  };
}
