/** What the allocation of resources needs of the world around it. */
import type { Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { AdmissionNode, Platform } from '../../core/admission/admission-view.ts';
import type { ResizeLimits } from '../../core/resize-decision.ts';
import type { AllocationObserver } from '../../ports/allocation-observer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodLookup } from '../../ports/pod-lookup.ts';
import type { StateStore } from '../../ports/state-store.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface AllocationRoom {
  /** What was granted to each pod, over restarts. */
  readonly store: StateStore;
  readonly status: ResizeConditionsKeeper;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly observer: AllocationObserver;
  readonly pods: PodLookup;
  /** The pods that may use something of this node (KL-63), with the specs of their sources. */
  readonly activePods: () => readonly Pod[];
  readonly node: NodeView;
  /** Ends a pod; settles when its containers have stopped, or when that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
  /** What the pod was granted, or what its conditions say, has changed. */
  readonly syncPod: (pod: Pod) => void;
  readonly areSourcesReady: () => boolean;
}

export type ResizeConditionsKeeper = Pick<
  StatusManager,
  | 'resizeConditions'
  | 'setResizePending'
  | 'setResizeInProgress'
  | 'clearResizePending'
  | 'clearResizeInProgress'
  | 'backfillResizeConditions'
>;

/** The node, as it is now. */
export interface NodeView {
  /** Null: nobody knows it yet. */
  node(): AdmissionNode | null;
  allocatable(): ResourceList;
  /** The conditions of pressure that it is under, such as `MemoryPressure`. */
  pressures(): readonly string[];
  readonly platform: Platform;
  readonly resizeLimits: ResizeLimits;
}
