/**
 * Finds the pods of this node, from all sources, and the mirror pod of each static pod (KL-61).
 */
import type { Pod } from '../../api/pod.ts';
import type { PodLookup } from './pod-lookup.ts';

export interface PodManager extends PodLookup {
  /** The UID of the static pod that this mirror pod belongs to; any other UID is returned unchanged. */
  sourceUidOf(uid: string): string;
  /** The mirror pod of the static pod with this UID, even when the pod itself is not desired any more. */
  mirrorOf(uid: string): Pod | undefined;
}
