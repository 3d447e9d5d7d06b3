/** The dependencies of the allocation manager. */
import type { Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { AdmissionNode, Platform } from '../../core/admission/admission-view.ts';
import type { ResizeLimits } from '../../core/resize/resize-decision.ts';
import type { AllocationObserver } from '../../ports/observe/allocation-observer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodLookup } from '../../ports/pod/pod-lookup.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface AllocationDeps {
  /** The allocation of each pod, across restarts. */
  readonly store: StateStore;
  readonly status: ResizeConditionsWriter;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly observer: AllocationObserver;
  readonly pods: PodLookup;
  /** The pods that may use resources of this node (KL-63), with the specs of their sources. */
  readonly activePods: () => readonly Pod[];
  readonly node: NodeView;
  /** Kills a pod; settles when its containers have stopped, or when that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
  /** The pod's allocation or its resize conditions have changed. */
  readonly syncPod: (pod: Pod) => void;
  readonly areSourcesReady: () => boolean;
  /** Absent: the node never shuts down gracefully. */
  readonly isShuttingDown?: () => boolean;
}

export type ResizeConditionsWriter = Pick<
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
  /** Null: the node is not known yet. */
  node(): AdmissionNode | null;
  allocatable(): ResourceList;
  /** The pressure conditions that are true, such as `MemoryPressure`. */
  pressures(): readonly string[];
  readonly platform: Platform;
  readonly resizeLimits: ResizeLimits;
}
