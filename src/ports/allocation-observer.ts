/** What metrics want to know about admission and resizes. It never throws. */

/** What made podkeep look again at resizes that had to wait. */
export type ResizeTrigger =
  | 'pod_resized'
  | 'pod_updated'
  | 'pods_added'
  | 'pods_removed'
  | 'pod_terminated'
  | 'periodic_retry';

export interface AllocationObserver {
  /** A new spec wants one resource of one container to be different. */
  resizeRequested(change: {
    readonly resource: 'cpu' | 'memory';
    readonly requirement: 'requests' | 'limits';
    readonly operation: 'add' | 'remove' | 'increase' | 'decrease';
  }): void;
  /** A resize that can never be granted here, such as `swap_limitation`. */
  resizeRefused(reasonDetail: string): void;
  /** A resize that had to wait was granted. */
  deferredResizeAccepted(trigger: ResizeTrigger): void;
  /** A pod had to go for a critical one that was short of this. */
  podPreempted(resource: string): void;
}
