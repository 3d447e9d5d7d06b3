/**
 * What the garbage collector does with one object, given its owners and its dependents.
 *
 *   orphaning    its dependents drop their reference to it, then it goes
 *   waiting      its blocking dependents go first, then it goes
 *   kept         it has no owners, or one of them exists: references to the others are removed
 *   collected    all its owners are gone or wait for it: it is deleted
 *
 * An owner that waits for its dependents (foreground deletion) counts as gone for dependents with another
 * owner; dependents without one are deleted. A dependent deleted this way that has dependents itself waits as
 * well, so that the leaves of a tree go first.
 *
 * Objects may own each other in a circle. An object that waits for one that waits for it therefore stops
 * blocking its owners. Kubernetes notices this only while the circle closes: there, two objects of a circle
 * that are deleted at once wait without end.
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

/** `impossible`: a cluster-scoped object names a namespaced owner. Whether that one exists is unknown. */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'impossible';

export interface Surroundings {
  /** Evaluated only if needed, because looking up owners may fail. */
  readonly owners: () => readonly (readonly [OwnerReference, OwnerState])[];
  readonly dependents: readonly Dependent[];
  /** Does a path from this object lead back to it, each step from a waiting object to one it waits for? */
  readonly isInCircle: () => boolean;
}

export interface Dependent {
  readonly uid: string;
  /** The object has to wait for this dependent. */
  readonly isBlocking: boolean;
  readonly isWaiting: boolean;
}

export type Decision =
  | { readonly type: 'keep' }
  | { readonly type: 'dropOwners'; readonly uids: ReadonlySet<string> }
  | {
      readonly type: 'delete';
      readonly propagation: 'Foreground' | 'Background' | 'Orphan';
      /** Before the deletion, its references are changed so that no owner waits for it. */
      readonly unblocks: boolean;
    }
  /** The dependents drop their reference, then the finalizer is removed. */
  | { readonly type: 'orphanDependents'; readonly uids: readonly string[] }
  /** No dependent is left to wait for: the finalizer is removed. */
  | { readonly type: 'release' }
  | { readonly type: 'wakeDependents'; readonly uids: readonly string[] }
  | { readonly type: 'unblock' };

const KEEP: Decision = { type: 'keep' };

export function decideCollection(object: JsonObject, around: Surroundings): Decision {
  if (isOrphaning(object)) {
    return { type: 'orphanDependents', uids: around.dependents.map(({ uid }) => uid) };
  }
  if (isWaiting(object)) return decideWaiting(around);
  // A deletion cannot be undone; its end will wake the dependents.
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

/** A finalizer that the object has already decides the propagation. */
function propagationOf(object: JsonObject): 'Foreground' | 'Background' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
}
