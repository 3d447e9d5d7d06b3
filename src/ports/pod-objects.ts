/** Keeps at hand the secrets and config maps that pods refer to, as long as they run here. */
import type { Pod } from '../api/pod.ts';

export interface PodObjects {
  /** May be called again, also with a changed pod. */
  registerPod(pod: Pod): void;
  unregisterPod(pod: Pod): void;
}
