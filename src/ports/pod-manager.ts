/**
 * Which pods this node has, from all sources, and which mirror belongs to which static pod (KL-61).
 */
import type { Pod } from '../api/pod.ts';
import type { PodLookup } from './pod-lookup.ts';

export interface PodManager extends PodLookup {
  /** The UID of the static pod that this is the mirror of; any other UID comes back as it is. */
  sourceUidOf(uid: string): string;
  /** The mirror of the static pod with this UID, also when the pod itself is not desired any more. */
  mirrorOf(uid: string): Pod | undefined;
}
