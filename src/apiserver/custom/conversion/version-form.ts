/**
 * Reads and writes the objects of a custom kind in one of its versions.
 *
 *     stored ──> pruned and defaulted by the version it is stored in ──> converted ──> pruned by the version it is read in
 *     written ──> converted to the storage version ──> pruned by that ──> stored
 *
 * Defaults are those of the stored version, as in kube-apiserver: a default of another version shows only in
 * objects that are written through it. With the strategy None a conversion changes the apiVersion alone.
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { checkParts, checkStoredSize } from '../../decode/object-limits.ts';
import type { KindDefinition, StoredForm, WebhookForm } from '../../objects/kind.ts';
import { withMetadata } from '../../objects/metadata.ts';
import type { CustomKind } from '../../schema/custom-object.ts';
import { dropNulls, pruneResource } from '../../schema/pruning.ts';
import type { Schema } from '../../schema/schema.ts';
import type { Crd } from '../crd.ts';
import { fillDefaults } from '../defaulting.ts';
import type { WebhookConversion } from './webhook-conversion.ts';

type Change = (object: JsonObject) => JsonObject;

/** What a version is read and written with. */
interface VersionSteps {
  readonly apiVersion: string;
  readonly storageApiVersion: string;
  /** A stored object by the schema of its own version, with defaults. */
  readonly decode: Change;
  /** A converted object by the schema of this version, or of the storage version. */
  readonly prune: Change;
  readonly pruneStored: Change;
}

/** `conversion`: absent: the strategy is None, or there is no other version. */
export function versionForm(
  crd: Crd,
  version: { readonly name: string; readonly schema: Schema },
  storage: CustomKind,
  conversion?: WebhookConversion,
): StoredForm {
  const steps = stepsOf(crd, version, storage);
  const definition = withoutForm(storage);
  const { apiVersion, decode, prune, pruneStored } = steps;
  if (!conversion) {
    const read = (stored: JsonObject): JsonObject =>
      stored['apiVersion'] === apiVersion ? decode(stored) : prune(decode(stored));
    return { definition, fromStored: remembering(read), toStored: remembering(pruneStored) };
  }
  return webhookForms(definition, steps, conversion);
}

function webhookForms(
  definition: KindDefinition,
  steps: VersionSteps,
  conversion: WebhookConversion,
): StoredForm {
  const { apiVersion, storageApiVersion } = steps;
  const [decode, prune] = [remembering(steps.decode), remembering(steps.prune)];
  const { pruneStored } = steps;
  return {
    definition,
    fromStored: (stored) => prune(conversion.convert(decode(stored), apiVersion)),
    toStored: (object) => pruneStored(conversion.convert(object, storageApiVersion)),
    webhook: webhookForm({ ...steps, decode, prune }, conversion),
  };
}

function webhookForm(steps: VersionSteps, conversion: WebhookConversion): WebhookForm {
  const { apiVersion, storageApiVersion, decode, prune, pruneStored } = steps;
  return {
    id: conversion.id,
    convert: (object, to) => conversion.convert(object, to),
    readAll: async (stored) => {
      const converted = await conversion.convertAll(stored.map(decode), apiVersion);
      return converted.map(prune);
    },
    write: async (object) => {
      const [converted = object] = await conversion.convertAll([object], storageApiVersion);
      const stored = pruneStored(converted);
      checkParts(stored);
      checkStoredSize(stored);
      // Before it is stored: an object that cannot be read back is refused.
      const [read = object] = await conversion.convertAll([decode(stored)], apiVersion);
      return (resourceVersion) => {
        const versioned = withMetadata(stored, { resourceVersion });
        const served = withMetadata(prune(read), { resourceVersion });
        const decoded = decode(versioned);
        if (decoded['apiVersion'] !== apiVersion) conversion.learn(decoded, apiVersion, served);
        return { stored: versioned, served };
      };
    },
  };
}

function stepsOf(
  { group, versions }: Crd,
  version: { readonly name: string; readonly schema: Schema },
  storage: CustomKind,
): VersionSteps {
  const schemas = new Map(versions.map(({ name, schema }) => [`${group}/${name}`, schema]));
  const apiVersion = `${group}/${version.name}`;
  const storageApiVersion = `${group}/${storage.version}`;
  return {
    apiVersion,
    storageApiVersion,
    decode: (stored) => {
      const schema = schemas.get(readText(stored['apiVersion'])) ?? version.schema;
      const filled = fillDefaults(pruned(stored, schema), schema);
      return isJsonObject(filled) ? filled : stored;
    },
    prune: prunerTo(apiVersion, version.schema),
    pruneStored: prunerTo(storageApiVersion, storage.schema),
  };
}

function prunerTo(apiVersion: string, schema: Schema): Change {
  return (object) =>
    pruned(object['apiVersion'] === apiVersion ? object : { ...object, apiVersion }, schema);
}

function pruned(object: JsonObject, schema: Schema): JsonObject {
  const value = dropNulls(pruneResource(object, schema).object, schema);
  return isJsonObject(value) ? value : object;
}

/** An object is read many times and never changes, so results are cached. */
function remembering(change: Change): Change {
  const known = new WeakMap<JsonObject, JsonObject>();
  return (object) => {
    const found = known.get(object);
    if (found) return found;
    const changed = change(object);
    known.set(object, changed);
    return changed;
  };
}

/** Only the position of the objects in the store matters here. */
function withoutForm(definition: KindDefinition): KindDefinition {
  const { storedAs: _, ...rest } = definition;
  return rest;
}
