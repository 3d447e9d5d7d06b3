/** Lets a sync wait until the volumes of a pod are mounted, or unmounted (KL-5, KL-13). */
import type { Pod } from '../../api/pod.ts';

/** A volume that is not mounted yet, or not unmounted yet. */
export interface WaitingVolume {
  readonly name: string;
  readonly why: string;
  /** Wall time in milliseconds. */
  readonly nextAtMs: number;
}

export type VolumesWait = (volumes: readonly WaitingVolume[]) => void;

export interface PodVolumes {
  /**
   * Resolves when all volumes of the pod are mounted. Throws the error that prevents it, and the
   * signal's reason if that is aborted (F-21). An error with the code VOLUME_ATTACHMENT_LIMIT means
   * that the node cannot run this pod. `waiting` is called with what is missing after each try.
   */
  waitForMounts(pod: Pod, signal: AbortSignal, waiting?: VolumesWait): Promise<void>;
  /** Resolves when no volume of the pod is mounted any more. `waiting`: as above. */
  waitForUnmount(pod: Pod, signal: AbortSignal, waiting?: VolumesWait): Promise<void>;
  /** Whether folders of the pod's volumes still exist on disk. */
  volumesExist(podUid: string): boolean | Promise<boolean>;
}

export const VOLUME_ATTACHMENT_LIMIT = 'VOLUME_ATTACHMENT_LIMIT';
