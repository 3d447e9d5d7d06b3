/**
 * Decides what the garbage collector does with one object, given its owners and dependents.
 *
 *   orphaning    its dependents' references to it are removed, then it is deleted
 *   waiting      (foreground deletion) its blocking dependents are deleted, then it is
 *   kept         it has no owners, or one exists: references to the other owners are removed
 *   collected    all its owners are deleted or wait for it: it is deleted
 *
 * A waiting owner counts as deleted for dependents that have another owner; its other dependents are deleted.
 * A dependent that is deleted this way and has dependents itself waits for them, too, so that the leaves of a
 * tree are deleted first.
 *
 * Objects may own each other in a circle. So if two objects wait for each other, one stops blocking its
 * owners. Kubernetes detects this only while the circle is being closed: there, two objects of a circle that
 * are deleted at the same time wait forever.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  FOREGROUND,
  hasFinalizer,
  isBeingDeleted,
  isOrphaning,
  isWaiting,
  ORPHAN,
  type OwnerReference,
} from './owner-reference.ts';

/** `impossible`: a cluster-scoped object names a namespaced owner, whose existence is therefore unknown. */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'impossible';

export interface Surroundings {
  /** Evaluated only if needed, because looking up owners may fail. */
  readonly owners: () => readonly (readonly [OwnerReference, OwnerState])[];
  readonly dependents: readonly Dependent[];
  /** Whether this object waits, through other waiting objects, for itself. */
  readonly isInCircle: () => boolean;
}

export interface Dependent {
  readonly uid: string;
  /** True: the owner must wait for this dependent. */
  readonly isBlocking: boolean;
  readonly isWaiting: boolean;
}

export type Decision =
  | { readonly type: 'keep' }
  | { readonly type: 'dropOwners'; readonly uids: ReadonlySet<string> }
  | {
      readonly type: 'delete';
      readonly propagation: 'Foreground' | 'Background' | 'Orphan';
      /** True: before the deletion, its owner references are changed so that no owner waits for it. */
      readonly unblocks: boolean;
    }
  /** Removes the dependents' references to this object, then its finalizer. */
  | { readonly type: 'orphanDependents'; readonly uids: readonly string[] }
  /** No blocking dependent is left: removes the finalizer. */
  | { readonly type: 'release' }
  | { readonly type: 'wakeDependents'; readonly uids: readonly string[] }
  | { readonly type: 'unblock' };

const KEEP: Decision = { type: 'keep' };

export function decideCollection(object: JsonObject, around: Surroundings): Decision {
  if (isOrphaning(object)) {
    return { type: 'orphanDependents', uids: around.dependents.map(({ uid }) => uid) };
  }
  if (isWaiting(object)) return decideWaiting(around);
  // The object is already being deleted; when it is gone, its dependents are checked.
  if (isBeingDeleted(object)) return KEEP;
  const owners = around.owners();
  if (owners.length === 0 || owners.some(([, state]) => state === 'impossible')) return KEEP;
  const isSolid = owners.some(([, state]) => state === 'solid');
  if (isSolid) {
    const uids = new Set(owners.flatMap(([{ uid }, state]) => (state === 'solid' ? [] : uid)));
    return uids.size > 0 ? { type: 'dropOwners', uids } : KEEP;
  }
  const isAwaited = owners.some(([, state]) => state === 'waiting');
  if (isAwaited && around.dependents.length > 0) {
    const unblocks = around.dependents.some((dependent) => dependent.isWaiting);
    return { type: 'delete', propagation: 'Foreground', unblocks };
  }
  return { type: 'delete', propagation: propagationOf(object), unblocks: false };
}

function decideWaiting({ dependents, isInCircle }: Surroundings): Decision {
  const blocking = dependents.filter(({ isBlocking }) => isBlocking);
  if (blocking.length === 0) return { type: 'release' };
  const uids = blocking.flatMap((one) => (one.isWaiting ? [] : one.uid));
  if (uids.length > 0) return { type: 'wakeDependents', uids };
  return isInCircle() ? { type: 'unblock' } : KEEP;
}

/** A finalizer on the object determines the propagation policy. */
function propagationOf(object: JsonObject): 'Foreground' | 'Background' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
}
