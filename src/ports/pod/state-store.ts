/**
 * Stores the resources of each pod on this node, by pod UID.
 *
 * The kubelet has two such stores: the allocated resources of a pod (E-3) and the actual ones of its
 * containers (E-4). Where they differ, a resize is in progress. For each pod a store holds the whole
 * requirements of its resizable containers and those of the pod as a whole. It holds no decisions
 * about resizes: those are in the pod's conditions (E-2).
 *
 * Reads are synchronous. A change returns a promise, because an allocation must not be used before it
 * survives a restart:
 *
 *   resolved   the change is stored, on disk if the store has one, and every reader sees it
 *   rejected   the change is not stored, and readers see what they saw before. The one exception is an
 *              error that says so: the change is made, but a power loss could undo it
 *
 * Before the promise settles, readers may still see the old state. Changes take effect in the order of their
 * calls. Returned values never change afterwards; arguments must not either.
 */
import type { ResourceRequirements } from '../../api/resources.ts';

export interface PodResources {
  /** By container name. */
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level resources, if it has any. */
  readonly pod?: ResourceRequirements | undefined;
}

export type PodResourcesByUid = ReadonlyMap<string, PodResources>;

export interface StateStore {
  containerResources(uid: string, containerName: string): ResourceRequirements | undefined;
  /** Undefined for an unknown pod too; `podResources` distinguishes the two. */
  podLevelResources(uid: string): ResourceRequirements | undefined;
  podResources(uid: string): PodResources | undefined;
  /** Every pod, as it is now. */
  all(): PodResourcesByUid;

  setContainerResources(
    uid: string,
    containerName: string,
    resources: ResourceRequirements,
  ): Promise<void>;
  setPodLevelResources(uid: string, resources: ResourceRequirements | undefined): Promise<void>;
  /** Replaces everything stored about the pod. */
  setPodResources(uid: string, resources: PodResources): Promise<void>;
  /** Removing an unknown pod is no error. */
  removePod(uid: string): Promise<void>;
  /** Removes every pod but these. */
  removeOrphanedPods(remaining: ReadonlySet<string>): Promise<void>;
  clear(): Promise<void>;
}
