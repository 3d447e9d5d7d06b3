/**
 * Lists the active pods, which count at the admission of another pod: all pods that may still use resources
 * (KL-63).
 *
 *     terminated, as the pod workers know          does not count
 *     terminal phase in the API or in the status
 *     manager, and no termination requested        does not count: it was rejected, or ended before
 *                                                  this podkeep started
 *     everything else                              counts
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { isTerminalPhase } from '../../core/pod/pod-facts.ts';

export interface ActivePodsDeps {
  readonly pods: { pods(): readonly Pod[] };
  readonly workers: {
    isPodKnownTerminated(uid: string): boolean;
    isPodTerminationRequested(uid: string): boolean;
  };
  readonly status: { getPodStatus(uid: string): PodStatus | undefined };
}

export function isActive(deps: ActivePodsDeps, pod: Pod): boolean {
  const { uid = '' } = pod.metadata;
  const { workers, status } = deps;
  if (workers.isPodKnownTerminated(uid)) return false;
  if (workers.isPodTerminationRequested(uid)) return true;
  return !isTerminalPhase(pod.status?.phase) && !isTerminalPhase(status.getPodStatus(uid)?.phase);
}

export function activePods(deps: ActivePodsDeps): readonly Pod[] {
  return deps.pods.pods().filter((pod) => isActive(deps, pod));
}
