/**
 * Containers that have ended for good, by what was said of them. Such a container must not run again:
 * no status that shows it running is lawful (SM-31), so nothing more could be said about its pod.
 *
 * It may run all the same. A podkeep that crashed had asked the runtime to start it, and the runtime
 * got to that only after the next podkeep had seen the end of the one before, and written it down.
 */
import type { Pod, PodStatus } from '../../src/api/pod.ts';
import { restartsAfterExit } from '../../src/core/restart-policy.ts';

/** The names of the pod's containers that have ended and may not start again. */
export function endedForGood({ spec }: Pod, said: PodStatus): ReadonlySet<string> {
  const ended = spec.containers.filter((container) => {
    const status = said.containerStatuses?.find(({ name }) => name === container.name);
    const exitCode = status?.state?.terminated?.exitCode;
    return exitCode !== undefined && !restartsAfterExit(container, spec, exitCode);
  });
  return new Set(ended.map(({ name }) => name));
}
