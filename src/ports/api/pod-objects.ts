/** Caches the secrets and config maps that pods refer to, as long as the pods run here. */
import type { Pod } from '../../api/pod.ts';

export interface PodObjects {
  /** May be called again, even with a changed pod. */
  registerPod(pod: Pod): void;
  unregisterPod(pod: Pod): void;
}
