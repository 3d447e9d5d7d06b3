/**
 * Converts managers between an object and its Scale. The managers of a Scale are those managers of the object
 * that own its field for the replicas. After a write through the scale subresource, the managers of the Scale
 * own the replicas, and the other fields keep their managers.
 */
import {
  difference,
  hasPath,
  isEmptySet,
  setOf,
  type FieldPath,
} from '../../api/managed-fields/field-set.ts';
import { identifierOf, type ManagedSet, type Managers } from '../../api/managed-fields/managers.ts';

/**
 * The path of the replicas in a version of the kind. Null: the version has no scale. Undefined: it is not
 * served.
 */
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
