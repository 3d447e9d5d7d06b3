/**
 * Applies a server-side apply configuration to one object: validates it, merges it into the stored object,
 * and updates the managers of all fields. Errors have kube-apiserver's messages.
 */
import { lastAppliedFields, withLastApplied } from '../../api/managed-fields/client-side-apply.ts';
import {
  ConflictError,
  describeConflict,
  describePath,
} from '../../api/managed-fields/conflicts.ts';
import { applyFields, trackUpdate, type Applied } from '../../api/managed-fields/field-manager.ts';
import { difference, isEmptySet } from '../../api/managed-fields/field-set.ts';
import { limitManagers } from '../../api/managed-fields/manager-limit.ts';
import { readManagers, type Managers } from '../../api/managed-fields/managers.ts';
import { TypedValueError } from '../../api/managed-fields/typed-value-error.ts';
import { checkTyped } from '../../api/managed-fields/validate-value.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  apiVersionOfKind,
  emptyObject,
  fieldTypeOf,
  scopeOf,
  withManagers,
  withoutManagers,
  type FieldWrite,
} from '../objects/field-tracking.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { metadataOf, textOf } from '../objects/metadata.ts';
import { badRequest, internalFailure, StatusError } from '../objects/status.ts';

export interface ApplyWrite extends FieldWrite {
  readonly force: boolean;
}

/** The manager for client-side apply, which kubectl did before it could apply on the server. */
const KUBECTL = 'kubectl';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** The object to store, without defaults. `live`: null: there is none yet. */
export function applyTo(
  write: ApplyWrite,
  live: JsonObject | null,
  config: JsonObject,
): JsonObject {
  const { definition } = write;
  checkConfig(definition, config);
  const before = live ?? emptyObject(definition);
  const bare = withoutManagers(before);
  const managers = managersOf(write, before, bare);
  const applied = toStatus(() => applyOrTakeOver(write, bare, config, managers));
  const object = applied.object ?? bare;
  const noted = write.manager === KUBECTL ? withLastApplied(object, config) : object;
  return withManagers(noted, applied.managers);
}

function checkConfig(definition: KindDefinition, config: JsonObject): void {
  const apiVersion = textOf(config['apiVersion']);
  const kind = textOf(config['kind']);
  if (apiVersion !== apiVersionOfKind(definition) || kind !== definition.kind) {
    throw badRequest(`invalid object type: ${printKind(apiVersion, kind)}`);
  }
  if ((metadataOf(config)['managedFields'] ?? null) !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  try {
    checkTyped(config, fieldTypeOf(definition), false);
  } catch (error) {
    if (!(error instanceof TypedValueError)) throw error;
    const { namespace, name } = metadataOf(config);
    const what = `${textOf(namespace)}/${textOf(name)}; ${printKind(apiVersion, kind)}`;
    throw internalFailure(`failed to create typed patch object (${what}): ${error.message}`);
  }
}

function printKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
}

/**
 * An object without managers was written before anything was applied: all its fields belong to one manager.
 */
function managersOf(write: ApplyWrite, live: JsonObject, bare: JsonObject): Managers {
  const read = readManagers(metadataOf(live)['managedFields']);
  if ('problem' in read) {
    throw internalFailure(`failed to decode managed fields: ${read.problem}`);
  }
  if (read.managers.size > 0) return read.managers;
  const scope = scopeOf(write);
  const empty = emptyObject(write.definition);
  return limitManagers(trackUpdate(scope, empty, bare, read.managers, BEFORE_FIRST_APPLY));
}

/** kubectl takes over the fields that it applied on the client, if they have not changed since. */
function applyOrTakeOver(
  write: ApplyWrite,
  live: JsonObject,
  config: JsonObject,
  managers: Managers,
): Applied {
  const scope = scopeOf(write);
  const { manager, force } = write;
  try {
    return applyFields(scope, live, config, managers, manager, force);
  } catch (error) {
    if (!(error instanceof ConflictError) || manager !== KUBECTL) throw error;
    const own = lastAppliedFields(live, scope.type, scope.apiVersion);
    if (!own) throw error;
    if (!isEmptySet(difference(error.fields, own))) throw error.without(own);
    return applyFields(scope, live, config, managers, manager, true);
  }
}

function toStatus(apply: () => Applied): Applied {
  try {
    return apply();
  } catch (error) {
    if (error instanceof TypedValueError) throw internalFailure(error.message);
    if (!(error instanceof ConflictError)) throw error;
    const causes = error.conflicts.map((conflict) => ({
      reason: 'FieldManagerConflict',
      message: describeConflict(conflict),
      field: describePath(conflict.path),
    }));
    throw new StatusError(409, 'Conflict', error.message, { causes });
  }
}
