/**
 * The library: Kubernetes' API functions and the kubelet's rules, as plain functions on plain JSON.
 *
 * Nothing here reads a clock, touches a file or changes what it is given.
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
