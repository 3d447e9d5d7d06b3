/**
 * Containers that have ended for good, by what was said of them. Such a container must not run
 * again: no status that shows it running is lawful (SM-31), so nothing more could be said about its
 * pod.
 *
 * It may run all the same. A podkeep that crashed had asked the runtime to start it, and the
 * runtime got to that only after the next podkeep had seen the end of the one before, and written
 * it down. Such a late run is stopped, and counts for nothing: neither that it ran nor how it ended
 * changes what was said.
 *
 * A pod that may restart all of its containers in place (E-7) is left alone: there the same picture
 * has another meaning.
 */
import type { Container, Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../api/runtime-pod.ts';
import { findStatus } from '../../core/pod-facts.ts';
import { mayRestartAllContainers, restartsAfterExit } from '../../core/restart-policy.ts';

export interface LateRuns {
  /** The names of the pod's containers that have ended and may not start again. */
  readonly ended: ReadonlySet<string>;
  /** The runtime without late runs. */
  readonly runtimePod: RuntimePod;
  /** Those of them that have to be stopped. */
  readonly running: readonly RuntimeContainer[];
}

export function findLateRuns(pod: Pod, runtimePod: RuntimePod, said: PodStatus): LateRuns {
  const ended = endedForGood(pod, said);
  const late = new Set<RuntimeContainer>();
  for (const [name, id] of ended) {
    for (const container of runsAfter(runtimePod, name, id)) late.add(container);
  }
  return {
    ended: new Set(ended.keys()),
    runtimePod:
      late.size === 0
        ? runtimePod
        : { ...runtimePod, containers: runtimePod.containers.filter((each) => !late.has(each)) },
    running: [...late].filter(({ state }) => state === 'running'),
  };
}

/** By name: the ID of the run that was the last. */
function endedForGood(pod: Pod, said: PodStatus): ReadonlyMap<string, string | undefined> {
  const ended = new Map<string, string | undefined>();
  if (mayRestartAllContainers(pod.spec)) return ended;
  for (const container of pod.spec.containers) {
    const end = endOf(container, said);
    if (!end || restartsAfterExit(container, pod.spec, end.exitCode)) continue;
    ended.set(container.name, end.id);
  }
  return ended;
}

function endOf({ name }: Container, said: PodStatus) {
  const status = findStatus(said.containerStatuses, name);
  const end = status?.state?.terminated;
  return end && { exitCode: end.exitCode, id: end.containerID ?? status?.containerID };
}

/** If nobody knows which run was the last, one that has ended may be it. */
function runsAfter(
  { containers }: RuntimePod,
  name: string,
  lastId: string | undefined,
): readonly RuntimeContainer[] {
  const runs = containers.filter((container) => container.name === name);
  if (lastId === undefined) return runs.filter(({ state }) => state === 'running');
  const last = runs.findIndex(({ id }) => id === lastId);
  return last < 0 ? runs : runs.slice(0, last);
}
