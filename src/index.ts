/**
 * The entry point `podkeep`, for programs that build nodes. It exports a whole node with a runtime of your
 * own (`runNode`), and the kubelet's parts one by one: pod workers, status manager, allocation state,
 * decision history, metrics.
 *
 * The parts get their clock, random numbers and all other dependencies through interfaces. Kubernetes'
 * objects and values are in `podkeep/api`, the pure rules in `podkeep/core`.
 */
export * from './node.ts';
export { InvariantError } from './lib/assert.ts';

// One worker per pod.
export { PodWorkers, type PodWorkersOptions } from './kubelet/pod-workers/pod-workers.ts';
export type {
  KillOptions as PodKillOptions,
  UpdatePodOptions,
} from './kubelet/pod-workers/update-options.ts';
export type { KillPodOptions as KillPodNowOptions } from './kubelet/pod-workers/kill-pod-now.ts';
export type {
  PodSync,
  ReleaseRequest as PodReleaseRequest,
  StatusOverride as PodStatusOverride,
  StopRequest as PodStopRequest,
  SyncRequest as PodSyncRequest,
  SyncResult as PodSyncResult,
} from './ports/pod/pod-sync.ts';
export {
  BackOffError as PodSyncBackOffError,
  NETWORK_NOT_READY as NETWORK_NOT_READY_CODE,
  networkNotReady as networkNotReadyError,
} from './ports/pod/sync-failure.ts';
export type { PodCache } from './ports/pod/pod-cache.ts';
export type { KnownPod, PodLookup } from './ports/pod/pod-lookup.ts';
export type { PodReference } from './api/pod-reference.ts';
export type { PodWorkerObserver } from './ports/observe/pod-worker-observer.ts';

// The status of every pod, and the writes of it to the API server.
export { StatusManager } from './kubelet/status-manager/status-manager.ts';
export type { StatusManagerOptions } from './kubelet/status-manager/settings.ts';
export {
  ApiError,
  type ApiClient,
  type DeletePreconditions,
  type PodName,
  type StatusCause as ApiStatusCause,
} from './ports/api/api-client.ts';
export type { PodManager } from './ports/pod/pod-manager.ts';
export type { PodProbes, ProbeOutcome, ProbeResults } from './ports/pod/probe-results.ts';
export type { StatusObserver } from './ports/observe/status-observer.ts';
export type { StatusSubscriber } from './ports/observe/status-subscriber.ts';

// Allocated resources of pods, over restarts.
export {
  ACTUATED_PODS_STATE as ACTUATED_PODS_STATE_FILE,
  ALLOCATED_PODS_STATE as ALLOCATED_PODS_STATE_FILE,
  openCheckpointStateStore as openAllocationStateFile,
} from './kubelet/allocation-state/checkpoint-state-store.ts';
export { createMemoryStateStore as createAllocationStateInMemory } from './kubelet/allocation-state/memory-state-store.ts';
export { noStateStore as noAllocationState } from './kubelet/allocation-state/no-state-store.ts';
export type {
  PodResources as PodAllocation,
  PodResourcesByUid as PodAllocationsByUid,
  StateStore as AllocationState,
} from './ports/pod/state-store.ts';

// Why a pod is in its state, and metrics of the node.
export {
  DecisionHistory,
  type DecisionHistoryOptions,
  type DecisionSubscriber,
} from './kubelet/decision-history.ts';
export type { DecisionLog, DecisionRecord } from './ports/observe/decision-log.ts';
export type { EventRecorder } from './ports/observe/event-recorder.ts';
export { KubeletMetrics } from './kubelet/metrics/kubelet-metrics.ts';
export {
  openMetrics as openMetricsExposition,
  prometheusText as prometheusExposition,
  type Exposition as MetricsExposition,
} from './lib/metrics/exposition.ts';

// Time and randomness.
export type { Cancel as CancelTimer, Clock } from './ports/clock.ts';
export type { IdentityRandom, Random } from './ports/random.ts';
export { systemClock } from './platform/system-clock.ts';
export { systemRandom } from './platform/system-random.ts';
export { seededRandom } from './platform/seeded-random.ts';
