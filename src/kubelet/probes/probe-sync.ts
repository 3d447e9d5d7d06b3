/**
 * Passes probe results to the status manager and the sync loop (KL-58): readiness and startup go into the
 * pod's status immediately, and then the pod is synced; for liveness, only a failure causes a sync.
 *
 * The results are read again when a status is stored, so that a status which was computed before a result
 * cannot undo it (F-3).
 */
import type { StatusManager } from '../status-manager/status-manager.ts';
import type { ProbeManager, ProbeResultChange } from './probe-manager.ts';

export interface ProbeSyncDeps {
  readonly probes: Pick<ProbeManager, 'subscribe'>;
  readonly status: Pick<StatusManager, 'setContainerReadiness' | 'setContainerStartup'>;
  /** Requests a sync of the pod, if it still exists. */
  readonly requestSync: (podUid: string) => void;
}

/** Returns a function that stops it. */
export function followProbes({ probes, status, requestSync }: ProbeSyncDeps): () => void {
  return probes.subscribe(({ podUid, containerID, kind, outcome }: ProbeResultChange) => {
    const isGood = outcome === 'success';
    if (kind === 'readiness') status.setContainerReadiness(podUid, containerID, isGood);
    if (kind === 'startup') status.setContainerStartup(podUid, containerID, isGood);
    if (kind === 'liveness' && outcome !== 'failure') return;
    requestSync(podUid);
  });
}
