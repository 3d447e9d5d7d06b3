/** Control groups of pods, where the node has them (KL-3). */
import type { Pod } from '../api/pod.ts';

export interface PodCgroups {
  /** The group that the pod's sandbox goes into. */
  parentOf(pod: Pod): string;
  exists(pod: Pod): boolean;
  ensure(pod: Pod): Promise<void>;
  /** Before a resize: the group allows what the pod has and what it will have. */
  raise(pod: Pod): Promise<void>;
  /** After a resize: the group allows what the pod has now. */
  settle(pod: Pod): Promise<void>;
  /** Ends what still runs in it. */
  destroy(pod: Pod): Promise<void>;
}
