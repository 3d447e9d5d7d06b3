/**
 * The four recipes that bring a pod's containers where they should be.
 *
 * Pod workers decide which of them runs for a pod, and when; one at a time for each pod, many at once
 * across pods. Each may be called again after it failed, so each must be able to go on from wherever
 * things stand.
 *
 * The signal is aborted when the work is overtaken: the pod has to end, or to end faster. Whoever
 * waits for something (a mount, a preStop hook, a process that does not die) listens to it, and then
 * throws the signal's reason. A recipe that failed throws; see sync-failure.ts for the two failures that
 * the worker treats in their own way.
 */
import type { Pod, PodStatus } from '../api/pod.ts';
import type { RuntimePod } from '../api/runtime-pod.ts';
import type { PodReference } from './pod-reference.ts';

export interface PodSync {
  /** Makes the runtime agree with the spec. */
  syncPod(request: SyncRequest, signal: AbortSignal): Promise<SyncResult>;
  /** Stops the containers. When it returns, none of them runs. */
  syncTerminatingPod(request: StopRequest, signal: AbortSignal): Promise<void>;
  /** The same for a pod that has no spec any more: the shortest grace, and no status to write. */
  syncTerminatingRuntimePod(pod: PodReference, signal: AbortSignal): Promise<void>;
  /** Gives back what the pod held, and writes its last status. */
  syncTerminatedPod(request: ReleaseRequest, signal: AbortSignal): Promise<void>;
}

export interface ReleaseRequest {
  readonly pod: Pod;
  /** Newer than the end of the worker's last turn. */
  readonly runtimePod: RuntimePod;
}

export interface SyncRequest extends ReleaseRequest {
  readonly updateType: 'create' | 'update' | 'sync' | 'kill';
  /** The API's image of a static pod, if there is one. */
  readonly mirrorPod: Pod | null;
}

export interface StopRequest extends ReleaseRequest {
  /** Null: nobody set a time. Then the deletion's counts, or else the spec's (PW-46). */
  readonly graceSeconds: number | null;
  /** What the newest kill wants the status to say; applied at each attempt. */
  readonly overrideStatus: StatusOverride | null;
}

/** Returns a changed copy; what it is given belongs to others. */
export type StatusOverride = (status: PodStatus) => PodStatus;

export interface SyncResult {
  /** Every container has ended for good: the pod is over. */
  readonly terminal: boolean;
  /**
   * Runs after the end of this turn was noted. A look at the runtime that it asks for is therefore new
   * enough for the next turn (PW-43).
   */
  readonly afterSync?: () => void;
}
