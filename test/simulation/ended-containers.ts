/**
 * Containers that have ended for good, according to the reported status. Such a container must not run
 * again: no status that shows it running is valid (SM-31), so nothing more could be reported of its pod.
 *
 * It may run all the same. A podkeep that crashed had asked the runtime to start it, and the runtime did
 * so only after the next podkeep had seen, and reported, the end of the previous run.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { restartsAfterExit } from '../../src/core/pod-actions/restart-policy.ts';

/** The names of the pod's containers that have ended and may not start again. */
export function endedForGood({ spec }: Pod, given: PodStatus): ReadonlySet<string> {
  const ended = spec.containers.filter((container) => {
    const status = given.containerStatuses?.find(({ name }) => name === container.name);
    const exitCode = status?.state?.terminated?.exitCode;
    return exitCode !== undefined && !restartsAfterExit(container, spec, exitCode);
  });
  return new Set(ended.map(({ name }) => name));
}
