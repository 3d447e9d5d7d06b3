/** A subscriber that the status manager notifies of every pod status it stores (SM-90). It never throws. */
import type { Pod, PodStatus } from '../../api/pod.ts';

export interface StatusSubscriber {
  /** `pod` carries the new status. */
  podUpdated(pod: Pod, status: PodStatus, isAdded: boolean): void;
  /** The pod's last status was stored: nothing of it is left on this node. */
  podRemoved(pod: Pod): void;
}
