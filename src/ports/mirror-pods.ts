/** The API's images of static pods (KL-60). */
import type { Pod } from '../api/pod.ts';

export interface MirrorPods {
  /**
   * Creates, replaces or leaves the mirror of a static pod. It logs what fails, and never throws.
   */
  reconcile(pod: Pod, mirrorPod: Pod | null, signal: AbortSignal): Promise<void>;
}
