/**
 * Computes the status of a container that the runtime has a record of (KL-39, KL-40).
 *
 * The old status provides what the runtime cannot know: how the previous container ended if a restart of the
 * whole pod removed it, whether the container counts as started, and which resources were reported last.
 */
import type { Container, ContainerState, ContainerStatus } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { ActuatedResources } from '../pod-actions/plan.ts';
import { containerResources } from '../resources/container-resources.ts';
import { RESTARTING_ALL_CONTAINERS } from './phase.ts';
import { UNKNOWN_EXIT_CODE, UNKNOWN_REASON } from './terminate-status.ts';

export function statusOfObserved(
  view: {
    readonly isRestartingAll: boolean;
    readonly actuated?: ActuatedResources | undefined;
  },
  container: Container,
  observed: RuntimeContainer,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const { requests } = container.resources ?? {};
  return {
    name: observed.name,
    state: stateOf(observed, old, view.isRestartingAll),
    lastState: lastStateOf(observed, old),
    ready: false,
    restartCount: restartCountOf(observed, old),
    image: observed.image,
    imageID: observed.imageRef,
    containerID: observed.id,
    ...(observed.state === 'running' && typeof old?.started === 'boolean'
      ? { started: old.started }
      : undefined),
    ...(requests ? { allocatedResources: requests } : undefined),
    resources: containerResources(
      container,
      observed,
      old,
      view.actuated?.containers.get(container.name),
    ),
    ...(old?.volumeMounts ? { volumeMounts: old.volumeMounts } : undefined),
    ...(observed.user ? { user: observed.user } : undefined),
  };
}

function stateOf(
  observed: RuntimeContainer,
  old: ContainerStatus | undefined,
  isRestartingAll: boolean,
): ContainerState {
  const {
    id,
    state,
    startedAt = null,
    finishedAt = null,
    exitCode = 0,
    reason,
    message,
  } = observed;
  switch (state) {
    case 'running':
      return { running: { startedAt } };
    case 'exited':
      return {
        terminated: {
          exitCode,
          ...(reason ? { reason } : undefined),
          ...(message ? { message } : undefined),
          startedAt,
          finishedAt,
          containerID: id,
        },
      };
    case 'unknown':
      // It ran and no longer runs, so it has ended in an unknown way. If it counted as never started, a pod
      // that may run only once would run twice.
      if (old?.state?.running) {
        return {
          terminated: {
            reason: isRestartingAll ? RESTARTING_ALL_CONTAINERS : UNKNOWN_REASON,
            message: 'The container could not be located when the pod was terminated',
            exitCode: UNKNOWN_EXIT_CODE,
          },
        };
      }
      return { waiting: {} };
    case 'created':
      return { waiting: {} };
  }
}

/** Restarting a pod in place removes the old containers, so only the old status has their end (E-7). */
function lastStateOf(observed: RuntimeContainer, old: ContainerStatus | undefined): ContainerState {
  const ended =
    (old && old.containerID !== observed.id ? old.state?.terminated : undefined) ??
    old?.lastState?.terminated;
  return ended ? { terminated: ended } : {};
}

function restartCountOf(observed: RuntimeContainer, old: ContainerStatus | undefined): number {
  const { state, restartCount } = observed;
  if (!old) return restartCount;
  const before = old.restartCount ?? 0;
  const endedSince =
    state === 'running' && Boolean(old.state?.terminated) && before >= restartCount;
  const wasLost = state === 'unknown' && Boolean(old.state?.running);
  return endedSince || wasLost ? before + 1 : Math.max(before, restartCount);
}
