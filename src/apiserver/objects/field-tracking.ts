/**
 * Records in metadata.managedFields which manager wrote which fields, for creates, updates and patches. This
 * happens before admission and before the kind's own rules, so fields that these change have no manager.
 */
import { builtInFieldType } from '../../api/managed-fields/built-in-type.ts';
import { customFieldType } from '../../api/managed-fields/custom-type.ts';
import { trackUpdate, type FieldScope } from '../../api/managed-fields/field-manager.ts';
import type { FieldType } from '../../api/managed-fields/field-type.ts';
import { limitManagers } from '../../api/managed-fields/manager-limit.ts';
import {
  NO_MANAGERS,
  readManagers,
  writeManagers,
  type Managers,
} from '../../api/managed-fields/managers.ts';
import { TypedValueError } from '../../api/managed-fields/typed-value-error.ts';
import { checkTyped } from '../../api/managed-fields/validate-value.ts';
import { jsonEqual } from '../../api/values/json-equal.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { KindDefinition, WebhookForm } from './kind.ts';
import { metadataOf, textOf, withMetadata } from './metadata.ts';
import { printedForm } from './printed-form.ts';
import { resetFieldsOf } from './reset-fields.ts';
import { StatusError } from './status.ts';

/** Finds another version of a kind. Undefined: it is not served. */
export type FindKind = (
  group: string,
  version: string,
  resource: string,
) => KindDefinition | undefined;

export interface FieldWrite {
  readonly definition: KindDefinition;
  /** Empty: the object itself. */
  readonly subresource: string;
  readonly manager: string;
  readonly now: string;
  readonly find: FindKind;
}

export function apiVersionOfKind({ group, version }: KindDefinition): string {
  return group === '' ? version : `${group}/${version}`;
}

export function fieldTypeOf({ type, openApiSchema }: KindDefinition): FieldType {
  return type ? builtInFieldType(type) : customFieldType(openApiSchema);
}

/** The object before any field is set, in Go's form. */
export function emptyObject(definition: KindDefinition): JsonObject {
  const { kind, type } = definition;
  const empty = { kind, apiVersion: apiVersionOfKind(definition) };
  return type ? printedForm(empty, type) : empty;
}

export function scopeOf({ definition, subresource, now, find }: FieldWrite): FieldScope {
  const apiVersion = apiVersionOfKind(definition);
  const reset = resetFieldsOf(definition, subresource);
  return {
    apiVersion,
    type: fieldTypeOf(definition),
    subresource,
    now,
    resetFields: () => reset,
    convert: (object, to) => {
      const from = isJsonObject(object) ? object['apiVersion'] : apiVersion;
      const other = versionOf(definition, to, find);
      if (!other) return undefined;
      const own = from === apiVersion ? definition : versionOf(definition, textOf(from), find);
      const type = fieldTypeOf(other);
      if (!own || own === other || !isJsonObject(object)) return { object, type };
      const converted = convert(object, own, other);
      checkTyped(converted, type, false);
      return { object: converted, type };
    },
  };
}

function versionOf(
  definition: KindDefinition,
  apiVersion: string,
  find: FindKind,
): KindDefinition | undefined {
  if (apiVersion === apiVersionOfKind(definition)) return definition;
  const slash = apiVersion.indexOf('/');
  const group = apiVersion.slice(0, Math.max(slash, 0));
  const found = find(group, apiVersion.slice(slash + 1), definition.resource);
  return found?.kind === definition.kind ? found : undefined;
}

/** A custom object keeps the fields that the other version does not have, unless a webhook converts it. */
function convert(object: JsonObject, from: KindDefinition, to: KindDefinition): JsonObject {
  const apiVersion = apiVersionOfKind(to);
  if (to.storedAs?.webhook) return convertByWebhook(object, apiVersion, to.storedAs.webhook);
  if (!to.type) return { ...object, apiVersion };
  const stored = from.storedAs?.toStored(object) ?? object;
  return to.storedAs?.fromStored(stored) ?? { ...stored, apiVersion };
}

/** An object that cannot be converted fits the other version as little as one of the wrong type. */
function convertByWebhook(
  object: JsonObject,
  apiVersion: string,
  webhook: WebhookForm,
): JsonObject {
  try {
    return webhook.convert(object, apiVersion);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new TypedValueError([{ path: '', message: error.message }]);
  }
}

/** The new object with its managedFields. */
export function trackedCreate(write: FieldWrite, object: JsonObject): JsonObject {
  const bare = asPrinted(write.definition, withoutManagers(object));
  const before = managersIn(metadataOf(object)['managedFields']) ?? NO_MANAGERS;
  const scope = scopeOf(write);
  const managers = trackUpdate(scope, emptyObject(write.definition), bare, before, write.manager);
  return withManagers(object, limitManagers(managers));
}

/** The new object (with defaults) with its managedFields. `given`: the managedFields that the client sent. */
export function trackedUpdate(
  write: FieldWrite,
  wanted: JsonObject,
  old: JsonObject,
  given: Json | undefined,
): JsonObject {
  const managers = managersBefore(write, given, old);
  if (managers.size === 0) return withManagers(wanted, managers);
  const live = withoutManagers(old);
  const bare = asPrinted(write.definition, withoutManagers(wanted), live);
  try {
    const after = trackUpdate(scopeOf(write), live, bare, managers, write.manager);
    return withManagers(wanted, limitManagers(after));
  } catch (error) {
    // The object is not valid in another version of its kind: no managers are better than wrong ones.
    if (error instanceof TypedValueError) return withManagers(wanted, NO_MANAGERS);
    throw error;
  }
}

/** A client may set managedFields itself; an empty or invalid value counts as not set. */
function managersBefore(
  { subresource }: FieldWrite,
  given: Json | undefined,
  old: JsonObject,
): Managers {
  const live = metadataOf(old)['managedFields'];
  if (subresource === '' && given !== live) {
    if (isReset(given)) return NO_MANAGERS;
    const managers = managersIn(given);
    if (managers && managers.size > 0) return managers;
  }
  return managersIn(live) ?? NO_MANAGERS;
}

/** An empty list, or a list of one empty entry. */
function isReset(given: Json | undefined): boolean {
  if (!Array.isArray(given) || given.length > 1) return false;
  const [entry] = given as readonly Json[];
  return entry === undefined || (isJsonObject(entry) && Object.keys(entry).length === 0);
}

/** Undefined: they are invalid. */
function managersIn(managedFields: Json | undefined): Managers | undefined {
  const read = readManagers(managedFields);
  return 'managers' in read ? read.managers : undefined;
}

export function withoutManagers(object: JsonObject): JsonObject {
  return withMetadata(object, { managedFields: undefined });
}

export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  return withMetadata(object, { managedFields: writeManagers(managers) });
}

export function asPrinted(
  { type }: KindDefinition,
  object: JsonObject,
  old?: JsonObject,
): JsonObject {
  return type ? printedForm(object, type, old) : object;
}

/** If only the times of managers have changed, the object with the old times. */
export function withOldTimes(object: JsonObject, old: JsonObject): JsonObject {
  const before = metadataOf(old)['managedFields'];
  const after = metadataOf(object)['managedFields'];
  if (before === after || !Array.isArray(before) || !Array.isArray(after)) return object;
  if (before.length !== after.length) return object;
  const [a, b] = [before.map(withoutTime), after.map(withoutTime)];
  if (!jsonEqual(a, b)) return object;
  const restored = withMetadata(object, { managedFields: before });
  const isSame = jsonEqual(
    withMetadata(restored, { resourceVersion: undefined }),
    withMetadata(old, { resourceVersion: undefined }),
  );
  return isSame ? restored : object;
}

function withoutTime(entry: Json): Json {
  if (!isJsonObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
