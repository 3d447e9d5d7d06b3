/**
 * Computes the last status of a terminated pod (SM-40 to SM-44).
 *
 * A container whose end podkeep did not see is reported as terminated with ContainerStatusUnknown and exit
 * code 137: a terminated pod must not report containers as waiting or running. A container that provably
 * never started stays waiting, and a known exit code is never overwritten.
 */
import type { ContainerStateTerminated, ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { mapShared, withFields } from '../../lib/share.ts';
import { initContainerAt, isSidecar, isStaticPod, isTerminalPhase } from '../pod/pod-facts.ts';

export const UNKNOWN_REASON = 'ContainerStatusUnknown';
export const UNKNOWN_EXIT_CODE = 137;

const LOST_CONTAINER: ContainerStateTerminated = {
  reason: UNKNOWN_REASON,
  message: 'The container could not be located when the pod was terminated',
  exitCode: UNKNOWN_EXIT_CODE,
};

/** `status` is the newest known status; `pod` comes from the API, with the status that the API has (SM-41). */
export function terminateStatus(pod: Pod, status: PodStatus): PodStatus {
  const { containerStatuses, initContainerStatuses, phase } = status;
  return withFields(status, {
    ...(containerStatuses && hasInitialized(pod)
      ? { containerStatuses: mapShared(containerStatuses, markEnded) }
      : undefined),
    ...(initContainerStatuses
      ? { initContainerStatuses: endStartedInit(initContainerStatuses) }
      : undefined),
    ...(isStaticPod(pod) || isTerminalPhase(phase) ? undefined : { phase: 'Failed' as const }),
  });
}

/** Did the pod get past its init containers, as far as its own status shows (SM-41)? */
function hasInitialized({ spec, status }: Pod): boolean {
  if (!spec.initContainers?.length) return true;
  const regular = status?.containerStatuses ?? [];
  if (regular.some(({ state, lastState }) => lastState?.terminated || !state?.waiting)) return true;

  const statuses = status?.initContainerStatuses ?? [];
  const last = statuses.at(-1);
  const container = initContainerAt(spec, statuses, statuses.length - 1);
  if (!last || !container) return false;
  if (isSidecar(container)) return Boolean(last.state?.running) && last.started === true;
  return last.lastState?.terminated?.exitCode === 0 || last.state?.terminated?.exitCode === 0;
}

/** Marks all init containers up to the last one that has started, and at least the first one (SM-43). */
function endStartedInit(statuses: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const lastStarted = statuses.findLastIndex(
    ({ state, lastState }) => !state?.waiting || lastState?.terminated,
  );
  const end = Math.max(lastStarted, 0);
  return mapShared(statuses, (status, index) => (index <= end ? markEnded(status) : status));
}

function markEnded(status: ContainerStatus): ContainerStatus {
  return status.state?.terminated ? status : { ...status, state: { terminated: LOST_CONTAINER } };
}
