/**
 * The four sync handlers of a pod.
 *
 * Pod workers decide which of them runs for a pod, and when; one at a time for each pod, many in
 * parallel across pods. Each may be called again after it failed, so each must be able to continue from
 * any state.
 *
 * The signal is aborted when the work is superseded: the pod has to end, or to end faster. Code that
 * waits for something (a mount, a preStop hook, a process that does not die) listens to it, and then
 * throws the signal's reason. A handler that failed throws; see sync-failure.ts for the two failures
 * that the worker handles specially.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { PodReference } from '../../api/pod-reference.ts';

export interface PodSync {
  /** Makes the runtime match the spec. */
  syncPod(request: SyncRequest, signal: AbortSignal): Promise<SyncResult>;
  /** Stops the containers. When it returns, none of them runs. */
  syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void>;
  /** The same for a pod without a spec: the shortest grace period, and no status to write. */
  syncTerminatingRuntimePod(pod: PodReference, signal: AbortSignal): Promise<void>;
  /** Releases the resources of the pod, and writes its last status. */
  syncTerminatedPod(request: ReleaseRequest, signal: AbortSignal): Promise<void>;
}

export interface ReleaseRequest {
  readonly pod: Pod;
  /** Newer than the end of the worker's last turn. */
  readonly runtimePod: RuntimePod;
}

export interface SyncRequest extends ReleaseRequest {
  readonly updateType: 'create' | 'update' | 'sync' | 'kill';
  /** The mirror pod of a static pod, if there is one. */
  readonly mirrorPod: Pod | null;
}

export interface StopRequest extends ReleaseRequest {
  /** Null: no request set one. Then the deletion's counts, or else the spec's (PW-46). */
  readonly graceSeconds: number | null;
  /** The status that the newest kill sets; applied at each attempt. */
  readonly overrideStatus: StatusOverride | null;
}

/** Returns a changed copy; its argument is shared. */
export type StatusOverride = (status: PodStatus) => PodStatus;

export interface SyncResult {
  /** Every container has ended for good: the pod is over. */
  readonly terminal: boolean;
  /**
   * Runs after the end of this turn was recorded. A relist that it requests is therefore new enough for
   * the next turn (PW-43).
   */
  readonly afterSync?: () => void;
}
