/**
 * The managers of a Scale, which is a part of another object: those of the object that manage its replicas.
 * After a write through the scale, the number of replicas belongs to the managers of the Scale, and the rest to
 * whom it belonged before.
 */
import {
  difference,
  hasPath,
  isEmptySet,
  setOf,
  type FieldPath,
} from '../../api/managed-fields/field-set.ts';
import { identifierOf, type ManagedSet, type Managers } from '../../api/managed-fields/managers.ts';

/** Where a version of the kind has its replicas; null: it has no scale; undefined: it is not served. */
export type ReplicasPath = (apiVersion: string) => FieldPath | null | undefined;

const SCALE_VERSION = 'autoscaling/v1';
const IN_SCALE: FieldPath = ['f:spec', 'f:replicas'];

export function managersOfScale(parent: Managers, replicasPath: ReplicasPath): Managers {
  const managers = new Map<string, ManagedSet>();
  for (const entry of parent.values()) {
    const path = replicasPath(entry.apiVersion);
    if (!path || !hasPath(entry.set, path)) continue;
    const own = { ...entry, apiVersion: SCALE_VERSION, set: setOf([IN_SCALE]) };
    managers.set(identifierOf(own), own);
  }
  return managers;
}

export function managersOfParent(
  parent: Managers,
  scale: Managers,
  replicasPath: ReplicasPath,
  apiVersion: string,
): Managers {
  const managers = new Map<string, ManagedSet>();
  const left = new Map(scale);
  for (const [id, entry] of parent) {
    const path = replicasPath(entry.apiVersion);
    if (path === undefined) continue;
    if (path === null || !hasPath(entry.set, path) || left.delete(id)) {
      managers.set(id, entry);
      continue;
    }
    const set = difference(entry.set, setOf([path]));
    if (!isEmptySet(set)) managers.set(id, { ...entry, set });
  }
  const path = replicasPath(apiVersion) ?? IN_SCALE;
  for (const [id, entry] of left) {
    if (!hasPath(entry.set, IN_SCALE)) continue;
    const time = parent.get(id)?.time;
    managers.set(id, { ...entry, apiVersion, time, set: setOf([path]) });
  }
  return managers;
}
