/**
 * The resources that each pod on this node has, by pod UID.
 *
 * The kubelet keeps two such stores: what was allocated to a pod (E-3) and what was really applied
 * to its containers (E-4). Where they differ, a resize is in progress. For each pod a store holds the
 * whole requirements of its resizable containers and those of the pod as a whole. It holds no
 * decisions about resizes: those live in the pod's conditions (E-2).
 *
 * Reading answers at once. A change answers with a promise, because nobody may hear of an allocation
 * that a restart would forget:
 *
 *   resolved   the change is kept, on disk if the store has one, and every reader sees it
 *   rejected   the change is not kept, and readers see what they saw before. The one exception is an
 *              error that says so: the change is made, but a power cut could undo it
 *
 * Before the promise settles, readers may still see the old state. Changes take effect in the order
 * of their calls. What is handed out never changes afterwards; what is handed in must not either.
 */
import type { ResourceRequirements } from '../api/resources.ts';

export interface PodResources {
  /** By container name. */
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level resources, if it has any. */
  readonly pod?: ResourceRequirements | undefined;
}

export type PodResourcesByUid = ReadonlyMap<string, PodResources>;

export interface StateStore {
  containerResources(uid: string, containerName: string): ResourceRequirements | undefined;
  /** Absent also for a pod that the store does not know; `podResources` tells the two apart. */
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
  /** Replaces all that is known about the pod. */
  setPodResources(uid: string, resources: PodResources): Promise<void>;
  /** To remove what is not there is no error. */
  removePod(uid: string): Promise<void>;
  /** Removes every pod but these. */
  removeOrphanedPods(remaining: ReadonlySet<string>): Promise<void>;
  clear(): Promise<void>;
}
