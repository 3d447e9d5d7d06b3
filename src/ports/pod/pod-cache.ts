/**
 * The latest state of each pod as the runtime reported it.
 *
 * Times are readings of the clock's `monotonic`.
 */
import type { RuntimePod } from '../../api/runtime-pod.ts';

export interface PodCache {
  /**
   * The cached state, however old it is. Empty: the runtime does not have the pod. Null: it could not be
   * read.
   */
  peek(uid: string): RuntimePod | null;
  /**
   * Waits for a view of the pod that was taken after `sinceMs`. Without that, a sync could act on a
   * view from before its own last actions, and start a container twice. Throws if the pod cannot be
   * read, and the signal's reason if that is aborted.
   */
  newerThan(uid: string, sinceMs: number, signal: AbortSignal): Promise<RuntimePod>;
}
