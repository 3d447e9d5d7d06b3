/** Receives the metrics of the pod workers. It never throws. */
export interface PodWorkerObserver {
  /** A pod was allowed to start (kubelet_containers_per_pod_count). */
  podStarted(containers: number): void;
  /**
   * A turn (one run of a sync handler) ended; its cause was first seen `seconds` ago
   * (kubelet_pod_worker_duration_seconds). The operation is create, update, sync or kill; or terminated, for
   * the turn that finished the pod.
   */
  turnEnded(operation: string, seconds: number): void;
  /** The pod will be synced again after this time, unless a later call for this pod replaces the delay. */
  wakeScheduled(uid: string, delayMs: number): void;
}
