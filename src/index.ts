/**
 * The library: Kubernetes' API functions and the kubelet's rules as plain functions on plain JSON, and
 * the engine that drives pods by them.
 *
 * The functions read no clock, touch no file and change nothing that they are given. The engine is
 * handed its clock, its chance and its world through the ports.
 */
export type * from './api/meta.ts';
export type * from './api/pod.ts';
export type * from './api/resources.ts';
export type * from './api/runtime-pod.ts';
export type { Json, JsonObject } from './lib/json.ts';
export { PodkeepError } from './lib/errors.ts';
export { InvariantError } from './lib/assert.ts';

// Kubernetes' values.
export * from './api/quantity.ts';
export * from './api/quantity-text.ts';
export * from './api/label-selector.ts';
export * from './api/label-selector-text.ts';
export * from './api/field-selector.ts';
export * from './api/time.ts';
export * from './api/time-duration.ts';
export * from './api/condition.ts';
export * from './api/semantic-equal.ts';

// The shape of every built-in kind, and patches by that shape.
export type * from './api/schema/shape.ts';
export * from './api/schema/schema.ts';
export { applyStrategicMergePatch } from './api/patch/strategic-merge-patch.ts';
export { createTwoWayMergePatch } from './api/patch/two-way-merge-patch.ts';
export * from './api/patch/json-merge-patch.ts';
export { applyJsonPatch } from './api/patch/json-patch.ts';

// The status of a pod.
export { isOwned, isShared } from './core/condition-ownership.ts';
export { normalizeStatus } from './core/normalize-status.ts';
export { isStatusEqual } from './core/status-equality.ts';
export { checkContainerTransitions } from './core/container-transition.ts';
export { mergeStatus, type StatusMerge } from './core/merge-status.ts';
export { terminateStatus } from './core/terminate-status.ts';
export * from './core/ready-conditions.ts';
export { initializedCondition } from './core/initialized-condition.ts';
export { podPhase, type PhaseView } from './core/phase.ts';
export { podStatus, type PodStatusView } from './core/pod-status.ts';
export type { StartFailure } from './core/container-status.ts';
export type { ProbeResult, ProbeView } from './core/probe-status.ts';

// What a pod needs, and what a sync does to it.
export { restartsAfterExit } from './core/restart-policy.ts';
export * from './core/crash-backoff.ts';
export * from './core/grace-period.ts';
export { qosClass } from './core/qos-class.ts';
export { podLimits, podRequests } from './core/pod-resources.ts';
export { podActions } from './core/pod-actions/pod-actions.ts';
export { holdBack, type HeldContainer, type HeldPlan } from './core/pod-actions/hold-back.ts';
export type {
  ActuatedResources,
  ContainerKill,
  ContainerReset,
  ContainerUpdate,
  PodActions,
  PodActionsView,
} from './core/pod-actions/plan.ts';

// The engine: one worker per pod, and the truth about every pod's status.
export { PodWorkers, type PodWorkersOptions } from './kubelet/pod-workers/pod-workers.ts';
export type { KillOptions, UpdatePodOptions } from './kubelet/pod-workers/update-options.ts';
export type { KillPodOptions } from './kubelet/pod-workers/kill-pod-now.ts';
export { StatusManager } from './kubelet/status-manager/status-manager.ts';
export type { StatusManagerOptions } from './kubelet/status-manager/settings.ts';
export { DecisionHistory, type DecisionHistoryOptions } from './kubelet/decision-history.ts';
export {
  ACTUATED_PODS_STATE,
  ALLOCATED_PODS_STATE,
  openCheckpointStateStore,
} from './kubelet/allocation-state/checkpoint-state-store.ts';
export { createMemoryStateStore } from './kubelet/allocation-state/memory-state-store.ts';
export { noStateStore } from './kubelet/allocation-state/no-state-store.ts';
export { KubeletMetrics } from './kubelet/metrics/kubelet-metrics.ts';
export { openMetrics, prometheusText } from './lib/metrics/exposition.ts';
export { systemClock } from './platform/system-clock.ts';
export { systemRandom } from './platform/system-random.ts';
export { seededRandom } from './platform/seeded-random.ts';

// Its ports.
export * from './ports/api-client.ts';
export * from './ports/sync-failure.ts';
export type * from './ports/clock.ts';
export type * from './ports/decision-log.ts';
export type * from './ports/event-recorder.ts';
export type * from './ports/log.ts';
export type * from './ports/pod-cache.ts';
export type * from './ports/pod-lookup.ts';
export type * from './ports/pod-manager.ts';
export type * from './ports/pod-reference.ts';
export type * from './ports/pod-sync.ts';
export type * from './ports/pod-worker-observer.ts';
export type * from './ports/probe-results.ts';
export type * from './ports/random.ts';
export type * from './ports/state-store.ts';
export type * from './ports/status-observer.ts';
export type * from './ports/status-subscriber.ts';
