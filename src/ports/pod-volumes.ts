/** The volumes of pods, as far as a sync waits for them (KL-5, KL-13). */
import type { Pod } from '../api/pod.ts';

export interface PodVolumes {
  /**
   * Resolves when everything that the pod mounts is there. Throws what keeps it from that, and the
   * signal's reason if that is aborted (F-21). An error with the code VOLUME_ATTACHMENT_LIMIT means
   * that the node cannot take this pod at all.
   */
  waitForMounts(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of the pod is mounted any more. */
  waitForUnmount(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Whether folders of the pod's volumes are still on the disk. */
  volumesExist(podUid: string): boolean | Promise<boolean>;
}

export const VOLUME_ATTACHMENT_LIMIT = 'VOLUME_ATTACHMENT_LIMIT';
