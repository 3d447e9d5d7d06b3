/**
 * Computes the status of a container that the runtime has no record of (KL-37).
 *
 * If it was running, it must have ended, although podkeep does not know how. This is reported, because
 * otherwise the pod would return to Pending as if it had never started.
 */
import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../api/pod.ts';
import { RESTARTING_ALL_CONTAINERS } from './phase.ts';
import { isBeingDeleted } from '../pod/pod-facts.ts';
import { UNKNOWN_EXIT_CODE, UNKNOWN_REASON } from './terminate-status.ts';

const REMOVED = {
  reason: RESTARTING_ALL_CONTAINERS,
  message: 'The container is removed because RestartAllContainers in place',
};

const LOST_WHILE_RUNNING: ContainerStateTerminated = {
  reason: UNKNOWN_REASON,
  message:
    'The container could not be located when the pod was deleted.  ' +
    'The container used to be Running',
  exitCode: UNKNOWN_EXIT_CODE,
};

/** `seed` is the status computed without the runtime; `old` is the one reported before. */
export function statusOfLost(
  view: { readonly pod: Pod; readonly isRestartingAll: boolean },
  seed: ContainerStatus,
  old: ContainerStatus | undefined,
): ContainerStatus {
  if (!old) return seed;
  if (view.isRestartingAll && !old.state?.waiting) {
    return {
      ...seed,
      state: { waiting: REMOVED },
      lastState: { ...seed.lastState, terminated: { ...REMOVED, exitCode: UNKNOWN_EXIT_CODE } },
      restartCount: (old.restartCount ?? 0) + 1,
    };
  }
  if (!old.state?.running || old.state.terminated || seed.lastState?.terminated) return seed;
  return {
    ...seed,
    lastState: { ...seed.lastState, terminated: LOST_WHILE_RUNNING },
    // A pod that is not being deleted will start it again, so this counts as a restart.
    restartCount: (seed.restartCount ?? 0) + (isBeingDeleted(view.pod) ? 0 : 1),
  };
}
