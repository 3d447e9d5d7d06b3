/**
 * The entry point `podkeep/core`: the rules of a kubelet as pure functions. They read no clock, use no random
 * numbers, access no file and do not change their arguments.
 */

// The status of a pod.
export { podStatus as computePodStatus, type PodStatusView } from './core/pod-status/pod-status.ts';
export {
  podPhase as computePodPhase,
  type PhaseView as PodPhaseView,
} from './core/pod-status/phase.ts';
export type { StartFailure as ContainerStartFailure } from './core/pod-status/container-status.ts';
export type { ProbeResult, ProbeView as PodProbeView } from './core/pod-status/probe-status.ts';
export { normalizeStatus as normalizePodStatus } from './core/pod-status/normalize-status.ts';
export { isStatusEqual as isPodStatusEqual } from './core/pod-status/status-equality.ts';
export {
  mergeStatus as mergePodStatus,
  type StatusMerge as PodStatusMerge,
} from './core/pod-status/merge-status.ts';
export { terminateStatus as terminatePodStatus } from './core/pod-status/terminate-status.ts';
export { checkContainerTransitions as checkContainerStateTransitions } from './core/pod-status/container-transition.ts';

// Conditions of a pod.
export {
  isOwned as isConditionOwnedByKubelet,
  isShared as isConditionSharedWithKubelet,
} from './core/pod-status/condition-ownership.ts';
export { initializedCondition as podInitializedCondition } from './core/pod-status/initialized-condition.ts';
export {
  containersReadyCondition,
  needsReadinessReconcile as needsReadyConditionReconcile,
  readyCondition as podReadyCondition,
  terminalReadiness as terminalReadyCondition,
  type ReadinessView as PodReadinessView,
} from './core/pod-status/ready-conditions.ts';

// What a sync starts, stops, restarts and resizes.
export { podActions as computePodActions } from './core/pod-actions/pod-actions.ts';
export type {
  ActuatedResources,
  ContainerKill,
  ContainerReset,
  ContainerUpdate,
  PodActions,
  PodActionsView,
} from './core/pod-actions/plan.ts';
export {
  holdForCrashBackOff as holdContainersInCrashBackOff,
  type HeldContainer as ContainerInCrashBackOff,
  type HeldPlan as PodActionsAfterCrashBackOff,
} from './core/pod-actions/crash-backoff-hold.ts';
export {
  CRASH_BACKOFF as DEFAULT_CRASH_BACKOFF_LIMITS,
  advance as advanceCrashBackOff,
  backOffKey as crashBackOffKey,
  backOffMessage as crashBackOffMessage,
  crashBackOffLimits,
  isBackOffExpired as isCrashBackOffExpired,
  waitsUntil as crashBackOffEndsAt,
  type BackOff as CrashBackOff,
  type BackOffLimits as CrashBackOffLimits,
} from './core/pod-actions/crash-backoff.ts';
export { restartsAfterExit as restartsContainerAfterExit } from './core/pod-actions/restart-policy.ts';
export {
  effectiveGracePeriod,
  type GracePeriod,
  type GracePeriodRequest,
} from './core/pod/grace-period.ts';

// Resources.
export { qosClass as computeQosClass } from './core/resources/qos-class.ts';
export {
  podLimits as computePodLimits,
  podRequests as computePodRequests,
} from './core/resources/pod-resources.ts';
