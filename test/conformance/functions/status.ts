/** Replays of the status manager's functions. */
import type {
  Pod,
  PodCondition,
  PodPhase,
  PodStatus,
  ContainerStatus,
} from '../../../src/api/pod.ts';
import { checkContainerTransitions } from '../../../src/core/pod-status/container-transition.ts';
import { initializedCondition } from '../../../src/core/pod-status/initialized-condition.ts';
import { mergeStatus } from '../../../src/core/pod-status/merge-status.ts';
import { normalizeStatus } from '../../../src/core/pod-status/normalize-status.ts';
import {
  containersReadyCondition,
  readyCondition,
} from '../../../src/core/pod-status/ready-conditions.ts';
import { isStatusEqual } from '../../../src/core/pod-status/status-equality.ts';
import { NOW, replayer } from '../replayer.ts';

interface TwoStatuses {
  readonly pod: Pod;
  readonly oldStatus: PodStatus;
  readonly newStatus: PodStatus;
}

interface Generator {
  readonly pod: Pod;
  readonly oldStatus: PodStatus;
  readonly containerStatuses?: readonly ContainerStatus[] | null;
  readonly phase?: PodPhase;
}

export const statusReplayers = {
  mergePodStatus: replayer<TwoStatuses & { readonly couldHaveRunningContainers: boolean }>(
    ({ pod, oldStatus, newStatus, couldHaveRunningContainers }) =>
      mergeStatus({ pod, old: oldStatus, status: newStatus, couldHaveRunningContainers, now: NOW }),
    'loose',
  ),
  normalizeStatus: replayer<{ readonly pod: Pod; readonly status: PodStatus }>(
    ({ pod, status }) => normalizeStatus(pod, status),
    'loose',
  ),
  isPodStatusByKubeletEqual: replayer<TwoStatuses>(({ oldStatus, newStatus }) =>
    isStatusEqual(oldStatus, newStatus),
  ),
  checkContainerStateTransition: replayer<TwoStatuses>(({ pod, oldStatus, newStatus }) =>
    checkContainerTransitions(pod.spec, oldStatus, newStatus),
  ),
  generateReadyConditions: replayer<Generator & { readonly conditions?: readonly PodCondition[] }>(
    ({ pod, containerStatuses, phase, conditions }) => ({
      podReady: readyCondition(pod, { containerStatuses, phase }, conditions),
      containersReady: containersReadyCondition(pod, { containerStatuses, phase }),
    }),
    'loose',
  ),
  generatePodInitializedCondition: replayer<Generator>(
    ({ pod, oldStatus, containerStatuses, phase }) =>
      initializedCondition(pod, oldStatus, { containerStatuses, phase }),
    'loose',
  ),
};
