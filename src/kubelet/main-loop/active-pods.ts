/**
 * Which pods count when another one asks for a place (KL-63): all that may still use something.
 *
 *     known to the workers as over                             does not count
 *     over in the API or in what we said, and nobody stops it  does not count: it was rejected, or
 *                                                              ended before this podkeep began
 *     everything else                                          counts
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { isTerminalPhase } from '../../core/pod-facts.ts';

export interface ActivePodsRoom {
  readonly pods: { pods(): readonly Pod[] };
  readonly workers: {
    isPodKnownTerminated(uid: string): boolean;
    isPodTerminationRequested(uid: string): boolean;
  };
  readonly status: { getPodStatus(uid: string): PodStatus | undefined };
}

export function isActive(room: ActivePodsRoom, pod: Pod): boolean {
  const { uid = '' } = pod.metadata;
  const { workers, status } = room;
  if (workers.isPodKnownTerminated(uid)) return false;
  if (workers.isPodTerminationRequested(uid)) return true;
  return !isTerminalPhase(pod.status?.phase) && !isTerminalPhase(status.getPodStatus(uid)?.phase);
}

export function activePods(room: ActivePodsRoom): readonly Pod[] {
  return room.pods.pods().filter((pod) => isActive(room, pod));
}
