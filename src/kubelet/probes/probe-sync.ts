/**
 * What the main loop does with news from probes (KL-58): readiness and startup go into the pod's status
 * at once, and then its worker looks at it; of liveness only failures are worth a look.
 *
 * The results themselves are read again when a status is handed over, so that a status which was
 * computed before the news cannot undo them (F-3).
 */
import type { StatusManager } from '../status-manager/status-manager.ts';
import type { ProbeManager, ProbeNews } from './probe-manager.ts';

export interface ProbeSyncRoom {
  readonly probes: Pick<ProbeManager, 'subscribe'>;
  readonly status: Pick<StatusManager, 'setContainerReadiness' | 'setContainerStartup'>;
  /** Asks for a sync of the pod, if there still is one. */
  readonly requestSync: (podUid: string) => void;
}

/** Returns how to stop it. */
export function followProbes({ probes, status, requestSync }: ProbeSyncRoom): () => void {
  return probes.subscribe(({ podUid, containerID, kind, outcome }: ProbeNews) => {
    const isGood = outcome === 'success';
    if (kind === 'readiness') status.setContainerReadiness(podUid, containerID, isGood);
    if (kind === 'startup') status.setContainerStartup(podUid, containerID, isGood);
    if (kind === 'liveness' && outcome !== 'failure') return;
    requestSync(podUid);
  });
}
