/** Caches the Secrets and ConfigMaps that pods refer to, as long as the pods are on this node. */
import type { Pod } from '../../api/pod.ts';

export interface PodObjects {
  /** May be called again, even with a changed pod. */
  registerPod(pod: Pod): void;
  unregisterPod(pod: Pod): void;
}
