/** Creates, updates and removes the cgroups of pods, on nodes with pod cgroups (KL-3). */
import type { Pod } from '../../api/pod.ts';

export interface PodCgroups {
  /** The cgroup parent of the pod's sandbox. */
  parentOf(pod: Pod): string;
  exists(pod: Pod): boolean;
  ensure(pod: Pod): Promise<void>;
  /** Before a resize: the cgroup allows both the old and the new resources. */
  raise(pod: Pod): Promise<void>;
  /** After a resize: the cgroup allows the new resources. */
  settle(pod: Pod): Promise<void>;
  /** Removes the cgroup, after killing the processes that still run in it. */
  destroy(pod: Pod): Promise<void>;
}

export interface KubeletCgroups extends PodCgroups {
  /** Sets the shares of the burstable cgroup to the sum of the pods' requests. */
  share(activePods: readonly Pod[]): Promise<void>;
  /**
   * Removes the cgroups of all pods except these. The cgroup of a pod that still has volumes stays until they
   * are removed.
   */
  removeOrphans(
    keep: ReadonlySet<string>,
    hasVolumes: (podUid: string) => Promise<boolean>,
  ): Promise<void>;
}
