/** Keeps the mirror pods of static pods up to date in the API server (KL-60). */
import type { Pod } from '../../api/pod.ts';

export interface MirrorPods {
  /**
   * Creates, replaces or keeps the mirror pod of a static pod. It logs failures, and never throws.
   */
  reconcile(pod: Pod, mirrorPod: Pod | null, signal: AbortSignal): Promise<void>;
}
