/**
 * Tracks field ownership (metadata.managedFields) for every write:
 *
 *     update   the manager of the write becomes the only owner of the fields that the write changes
 *     apply    merges a configuration into the object; removes fields that the manager applied before and
 *              no longer applies, unless others own them; changing fields that others own is a conflict
 *
 * Pure: objects in, objects and managers out. The rules are those of sigs.k8s.io/structured-merge-diff.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { jsonEqual } from '../values/json-equal.ts';
import { compareValues, withoutFields, type Comparison } from './compare-values.ts';
import { ConflictError, conflictsWith, type Conflict } from './conflicts.ts';
import {
  difference,
  EMPTY_SET,
  intersection,
  isEmptySet,
  recursiveDifference,
  setOf,
  union,
  type FieldSet,
} from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { identifierOf, type ManagedSet, type Managers } from './managers.ts';
import { mergeValues } from './merge-values.ts';
import { prune } from './pruning.ts';
import { explained } from './typed-value-error.ts';
import { reconcileWithType } from './schema-change.ts';
import { fieldsOf } from './value-fields.ts';

/** An object in one of the versions of its kind. */
export interface VersionedObject {
  readonly object: Json;
  readonly type: FieldType;
}

/** The kind and subresource that a request writes. */
export interface FieldScope {
  readonly apiVersion: string;
  readonly type: FieldType;
  /** Empty: the object itself, not a subresource. */
  readonly subresource: string;
  /** The fields that a write to this subresource does not change, for one apiVersion. */
  readonly resetFields: (apiVersion: string) => FieldSet | undefined;
  /**
   * Undefined: the version is no longer served. Throws a TypedValueError if the object does not fit its type
   * in that version.
   */
  readonly convert: (object: Json, to: string) => VersionedObject | undefined;
  /** The time of the write. */
  readonly now: string;
}

type Draft = Map<string, ManagedSet>;

/** The managers after an update of `live` to `wanted`, both without managedFields. */
export function trackUpdate(
  scope: FieldScope,
  live: JsonObject,
  wanted: JsonObject,
  before: Managers,
  manager: string,
): Managers {
  const { apiVersion, subresource, now } = scope;
  const compared = compareValues(live, wanted, scope.type);
  const managers = reconciled(scope, live, before);
  const change = transfer(scope, live, wanted, compared, managers, '', true);
  const changed = filtered(scope, apiVersion, union(change.modified, change.added));
  const own = difference(changed, STRIPPED);
  if (isEmptySet(own)) return managers;
  const entry = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
  } as const;
  const id = identifierOf(entry);
  const previous = managers.get(id);
  const set = previous ? union(previous.set, own) : own;
  managers.set(id, { ...entry, time: now, set });
  return managers;
}

export interface Applied {
  /** Null: only the managers change, not the object. */
  readonly object: JsonObject | null;
  readonly managers: Managers;
}

/** Throws a ConflictError unless `force`. Expects a configuration that validate-value.ts has accepted. */
export function applyFields(
  scope: FieldScope,
  live: JsonObject,
  config: JsonObject,
  before: Managers,
  manager: string,
  force: boolean,
): Applied {
  const { apiVersion, subresource, type, now } = scope;
  const managers = reconciled(scope, live, before);
  const entry = { manager, operation: 'Apply', apiVersion, subresource } as const;
  const id = identifierOf(entry);
  const merged = mergeValues(live, config, type);
  const last = managers.get(id);
  const set = filtered(scope, apiVersion, fieldsOf(config, type));
  managers.set(id, { ...entry, time: last?.time, set });
  const pruned = explained('failed to prune fields', () => prune(scope, merged, managers, last));
  const compared = compareValues(live, pruned, type);
  transfer(scope, live, pruned, compared, managers, id, force);
  const isSame = jsonEqual(live, pruned);
  finish(managers, id, isSame ? undefined : now);
  return { object: isSame || !isJsonObject(pruned) ? null : pruned, managers };
}

/** Removes the server's own metadata from the applier's entry, and sets its time. */
function finish(managers: Draft, id: string, time: string | undefined): void {
  const own = managers.get(id);
  if (!own) return;
  const set = difference(own.set, STRIPPED);
  if (isEmptySet(set)) managers.delete(id);
  else managers.set(id, { ...own, set, time: time ?? own.time });
}

function reconciled(scope: FieldScope, live: Json, before: Managers): Draft {
  const managers: Draft = new Map();
  for (const [id, entry] of before) {
    const versioned = scope.convert(live, entry.apiVersion);
    if (!versioned) continue;
    const set = reconcileWithType(entry.set, versioned.type);
    managers.set(id, set === entry.set ? entry : { ...entry, set });
  }
  return managers;
}

/**
 * Removes changed fields from the other managers' sets, and removed fields from all sets. Throws a
 * ConflictError unless `force`.
 */
function transfer(
  scope: FieldScope,
  live: Json,
  wanted: Json,
  compared: Comparison,
  managers: Draft,
  self: string,
  force: boolean,
): Comparison {
  const own = withReset(scope, scope.apiVersion, compared);
  const versions = new Map([[scope.apiVersion, own]]);
  const conflicts: Conflict[] = [];
  const after: Draft = new Map();
  for (const [id, entry] of managers) {
    if (id === self) continue;
    const change = changeIn(scope, versions, live, wanted, entry.apiVersion);
    if (!change) {
      managers.delete(id);
      continue;
    }
    const taken = intersection(entry.set, union(change.modified, change.added));
    if (!isEmptySet(taken)) conflicts.push(...(force ? [] : conflictsWith(entry, taken)));
    const set = difference(difference(entry.set, taken), change.removed);
    if (set !== entry.set) after.set(id, { ...entry, set });
  }
  if (conflicts.length > 0) throw new ConflictError(conflicts);
  for (const [id, entry] of after) managers.set(id, entry);
  for (const [id, { set }] of managers) if (isEmptySet(set)) managers.delete(id);
  return own;
}

function changeIn(
  scope: FieldScope,
  versions: Map<string, Comparison>,
  live: Json,
  wanted: Json,
  apiVersion: string,
): Comparison | undefined {
  const known = versions.get(apiVersion);
  if (known) return known;
  const old = explained('failed to convert old object', () => scope.convert(live, apiVersion));
  const now = explained('failed to convert new object', () => scope.convert(wanted, apiVersion));
  if (!old || !now) return undefined;
  const compared = compareValues(old.object, now.object, old.type);
  const change = withReset(scope, apiVersion, compared);
  versions.set(apiVersion, change);
  return change;
}

function withReset(scope: FieldScope, apiVersion: string, compared: Comparison): Comparison {
  const reset = scope.resetFields(apiVersion);
  return reset ? withoutFields(compared, reset) : compared;
}

function filtered(scope: FieldScope, apiVersion: string, set: FieldSet): FieldSet {
  return recursiveDifference(set, scope.resetFields(apiVersion) ?? EMPTY_SET);
}

/** Metadata that the server sets, which no manager owns. */
const STRIPPED: FieldSet = setOf([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
]);
