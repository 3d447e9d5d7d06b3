/**
 * Decides the status of a CustomResourceDefinition.
 *
 *     names are free ──> NamesAccepted, Established ──> served
 *     its conversion webhook has a caBundle without a certificate ──> Established: False, until it has one
 *     a name is taken ──> NamesAccepted: False; names that were accepted before stay accepted
 *     marked for deletion ──> Terminating, until its last object is deleted
 *
 * If two definitions of a group request the same name, the one that comes first gets it. An established
 * definition stays established, even if an update requests names that it cannot have.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { listOf, metadataOf, withMetadata } from '../objects/metadata.ts';
import { readStruct, readText } from '../../api/validation/json-reading.ts';
import { caBundleFault, caBundleIn } from './definition/conversion-rules.ts';
import { CLEANUP_FINALIZER, conditionOf, conditionsOf, readNames, type Names } from './crd.ts';

export interface Condition {
  readonly type: 'NamesAccepted' | 'Established' | 'Terminating';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const INVALID_BUNDLE = 'InvalidCABundle';

/** Names that other definitions of the group have. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export function takenNames(others: readonly Names[]): TakenNames {
  return {
    resources: new Set(others.flatMap((one) => [one.plural, one.singular, ...one.shortNames])),
    kinds: new Set(others.flatMap((one) => [one.kind, one.listKind])),
  };
}

/** The definition with the names it may have; the very same one if it has them already. */
export function acceptNames(object: JsonObject, taken: TakenNames, now: string): JsonObject {
  const status = readStruct(object['status']);
  const wanted = readStruct(readStruct(object['spec'])['names']);
  const before = readStruct(status['acceptedNames']);
  const established = conditionOf(object, 'Established');
  const isSettled = established !== undefined && established['reason'] !== INVALID_BUNDLE;
  if (isSettled && jsonEqual(wanted, before)) return object;
  const { accepted, conflict } = decideNames(wanted, before, taken);
  const naming: Condition = conflict ?? {
    type: 'NamesAccepted',
    status: 'True',
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const named = { ...object, status: { ...status, acceptedNames: accepted } };
  const withTime = withCrdCondition(named, naming, now);
  const settled = withCrdCondition(withTime, establishedOf(object, naming), now);
  return jsonEqual(settled, object) ? object : settled;
}

function establishedOf(object: JsonObject, naming: Condition): Condition {
  const before = conditionOf(object, 'Established');
  if (before?.['status'] === 'True') return keptCondition(before);
  if (naming.status === 'False') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    };
  }
  if (caBundleFault(caBundleIn(object)) !== undefined) {
    return {
      type: 'Established',
      status: 'False',
      reason: INVALID_BUNDLE,
      message: 'The conversion webhook CABundle is invalid',
    };
  }
  return {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  };
}

function keptCondition(condition: JsonObject): Condition {
  return {
    type: 'Established',
    status: 'True',
    reason: readText(condition['reason']),
    message: readText(condition['message']),
  };
}

interface DecidedNames {
  readonly accepted: JsonObject;
  readonly conflict: Condition | undefined;
}

/** Name by name: free ones are accepted, even if others are not. The last conflict is reported. */
function decideNames(wanted: JsonObject, before: JsonObject, taken: TakenNames): DecidedNames {
  const accepted = new Map(Object.entries(before));
  let conflict: Condition | undefined;
  const take = (field: string, reason: string, isTaken: (name: string) => boolean): void => {
    const value = wanted[field];
    const names = typeof value === 'string' ? [value] : listOf(value).map(readText);
    const own = new Set(listOf(before[field]).map(readText).concat(readText(before[field])));
    const refused = names.filter((name) => !own.has(name) && isTaken(name));
    if (refused.length > 0) conflict = conflictOf(reason, refused);
    else if (value === undefined) accepted.delete(field);
    else accepted.set(field, value);
  };
  const isResource = (name: string): boolean => taken.resources.has(name);
  const isKind = (name: string): boolean => taken.kinds.has(name);
  take('plural', 'PluralConflict', isResource);
  take('singular', 'SingularConflict', isResource);
  take('shortNames', 'ShortNamesConflict', isResource);
  take('kind', 'KindConflict', isKind);
  take('listKind', 'ListKindConflict', isKind);
  take('categories', '', () => false);
  return { accepted: Object.fromEntries(accepted), conflict };
}

function conflictOf(reason: string, names: readonly string[]): Condition {
  const sentences = names.map((name) => `${JSON.stringify(name)} is already in use`);
  const [first = ''] = sentences;
  const message = sentences.length === 1 ? first : `[${sentences.join(', ')}]`;
  return { type: 'NamesAccepted', status: 'False', reason, message };
}

/** On the first delete: the definition stays until its objects are gone. */
export function markTerminating(object: JsonObject, now: string): JsonObject {
  const { finalizers } = metadataOf(object);
  const kept = listOf(finalizers);
  const held = kept.includes(CLEANUP_FINALIZER)
    ? object
    : withMetadata(object, { finalizers: [...kept, CLEANUP_FINALIZER] });
  return withCrdCondition(
    held,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message:
        'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  );
}

export const DELETION_IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

export const DELETION_COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

export const NEVER_ESTABLISHED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

/** Removes the cleanup finalizer. */
export function release(object: JsonObject, condition: Condition, now: string): JsonObject {
  const kept = listOf(metadataOf(object)['finalizers']).filter((one) => one !== CLEANUP_FINALIZER);
  const freed = withMetadata(object, { finalizers: kept.length > 0 ? kept : undefined });
  return withCrdCondition(freed, condition, now);
}

/** The time is that of the last change of the status; `now` empty: unknown. */
export function withCrdCondition(
  object: JsonObject,
  condition: Condition,
  now: string,
): JsonObject {
  const before = conditionOf(object, condition.type);
  const isSame = before?.['status'] === condition.status;
  const kept = isSame ? readText(before['lastTransitionTime']) : '';
  const time = kept === '' ? now : kept;
  const withTime: JsonObject = { ...condition, ...(time !== '' && { lastTransitionTime: time }) };
  if (before && jsonEqual(before, withTime)) return object;
  const conditions = conditionsOf(object);
  const others: readonly Json[] = before
    ? conditions.map((one) => (one === before ? withTime : one))
    : [...conditions, withTime];
  return { ...object, status: { ...readStruct(object['status']), conditions: others } };
}

export function acceptedNamesOf(object: JsonObject): Names {
  return readNames(readStruct(object['status'])['acceptedNames']);
}
