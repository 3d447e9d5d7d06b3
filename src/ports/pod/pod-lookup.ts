/** The pods that should be on this node, from all sources together. */
import type { Pod } from '../../api/pod.ts';

export interface KnownPod {
  readonly pod: Pod;
  readonly mirrorPod?: Pod;
}

export interface PodLookup {
  find(uid: string): KnownPod | undefined;
}
