/**
 * What becomes of one object, given its owners and its dependents.
 *
 *   orphaning    its dependents forget it, then it goes
 *   waiting      its blocking dependents go first, then it goes
 *   kept         it has no owners, or one of them stands: references to those that do not are removed
 *   collected    all its owners are gone or wait for it: it is deleted
 *
 * An owner that waits for its dependents counts as gone for those who have another one, and deletes
 * those who have none. Whoever is deleted because of it and has dependents of its own waits as well,
 * so that the leaves of a tree go first.
 *
 * Objects may own each other in a circle. Then somebody has to stop waiting: an object which waits
 * for one that waits for it is no longer in its owners' way. Kubernetes notices this only while the
 * circle closes; two objects of a circle that are deleted at once would wait for ever.
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

/** `impossible`: what is in no namespace cannot be owned by what is in one. Nobody can say more. */
export type OwnerState = 'solid' | 'dangling' | 'waiting' | 'impossible';

export interface Surroundings {
  /** Only asked if it matters, because looking owners up may fail. */
  readonly owners: () => readonly (readonly [OwnerReference, OwnerState])[];
  readonly dependents: readonly Dependent[];
  /** Is there a way from it to itself, from one that waits to one that it waits for? */
  readonly isInCircle: () => boolean;
}

export interface Dependent {
  readonly uid: string;
  /** The object has to wait for it. */
  readonly isBlocking: boolean;
  readonly isWaiting: boolean;
}

export type Decision =
  | { readonly type: 'keep' }
  | { readonly type: 'dropOwners'; readonly uids: ReadonlySet<string> }
  | {
      readonly type: 'delete';
      readonly propagation: 'Foreground' | 'Background' | 'Orphan';
      /** Before it, its references are made such that no owner waits for it. */
      readonly unblocks: boolean;
    }
  /** The dependents forget their owner, then the finalizer goes. */
  | { readonly type: 'orphanDependents'; readonly uids: readonly string[] }
  /** Nobody is left to wait for: the finalizer goes. */
  | { readonly type: 'release' }
  | { readonly type: 'wakeDependents'; readonly uids: readonly string[] }
  | { readonly type: 'unblock' };

const KEEP: Decision = { type: 'keep' };

export function decide(object: JsonObject, around: Surroundings): Decision {
  if (isOrphaning(object)) {
    return { type: 'orphanDependents', uids: around.dependents.map(({ uid }) => uid) };
  }
  if (isWaiting(object)) return decideWaiting(around);
  // There is no way back from a deletion: its end will wake its dependents.
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

/** A wish that was expressed before, by a finalizer, still counts. */
function propagationOf(object: JsonObject): 'Foreground' | 'Background' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
}
