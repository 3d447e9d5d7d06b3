/** Starts and stops the probes of a pod's containers; the sync handlers call it (KL-10, KL-70). */
import type { Pod } from '../../api/pod.ts';
import type { ProbeOutcome, ProbeResults } from './probe-results.ts';

export interface Prober extends ProbeResults {
  /** Starts to probe; a pod that is probed already is left as it is. */
  addPod(pod: Pod): void;
  removePod(pod: Pod): void;
  /** The pod is terminating: no container is restarted any more. Sidecars keep their probes. */
  stopLivenessAndStartup(pod: Pod): void;
  /** Newest results of liveness probes by container ID. */
  liveness(podUid: string): ReadonlyMap<string, ProbeOutcome>;
}
