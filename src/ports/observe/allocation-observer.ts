/** Receives the metrics of admission and resizes. It never throws. */

/** What made podkeep retry deferred resizes. */
export type ResizeTrigger =
  | 'pod_resized'
  | 'pod_updated'
  | 'pods_added'
  | 'pods_removed'
  | 'pod_terminated'
  | 'periodic_retry';

export interface AllocationObserver {
  /** A new spec changes one resource of one container. */
  resizeRequested(change: {
    readonly resource: 'cpu' | 'memory';
    readonly requirement: 'requests' | 'limits';
    readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
  }): void;
  /** A resize that can never be granted here, such as `swap_limitation`. */
  resizeRefused(reasonDetail: string): void;
  /** A deferred resize was granted. */
  deferredResizeAccepted(trigger: ResizeTrigger): void;
  /** A pod was preempted for a critical one that was short of this. */
  podPreempted(resource: string): void;
}
