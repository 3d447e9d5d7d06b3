/** Finds the pods that should run on this node, from all sources, by UID. */
import type { Pod } from '../../api/pod.ts';

export interface KnownPod {
  readonly pod: Pod;
  readonly mirrorPod?: Pod;
}

export interface PodLookup {
  find(uid: string): KnownPod | undefined;
}
