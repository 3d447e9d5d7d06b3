/** Control groups of pods, where the node has them (KL-3). */
import type { Pod } from '../api/pod.ts';

export interface PodCgroups {
  /** The group that the pod's sandbox goes into. */
  parentOf(pod: Pod): string;
  exists(pod: Pod): boolean;
  ensure(pod: Pod): Promise<void>;
  destroy(pod: Pod): Promise<void>;
}
