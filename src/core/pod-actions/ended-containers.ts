/**
 * Finds runs of containers that, according to the status reported last, have ended for good. Such a container
 * must not run again: a status that shows it running is invalid (SM-31), so podkeep could not report anything
 * about the pod any more.
 *
 * It can still happen: podkeep asks the runtime to start the container and crashes; the next podkeep process
 * sees that the previous run has ended and reports that; only then does the runtime start the container.
 * Podkeep stops this late run and ignores it: it does not change the reported status.
 *
 * Pods that may restart all of their containers in place (E-7) are not checked, because their containers may
 * run again.
 */
import type { Container, Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../api/runtime-pod.ts';
import { findStatus } from '../pod/pod-facts.ts';
import { mayRestartAllContainers, restartsAfterExit } from './restart-policy.ts';

export interface LateRuns {
  /** The names of the pod's containers that have ended and may not start again. */
  readonly ended: ReadonlySet<string>;
  /** The runtime without late runs. */
  readonly runtimePod: RuntimePod;
  /** The late runs that are still running and have to be stopped. */
  readonly running: readonly RuntimeContainer[];
}

export function findLateRuns(pod: Pod, runtimePod: RuntimePod, lastReported: PodStatus): LateRuns {
  const ended = endedForGood(pod, lastReported);
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

/** By name: the ID of the last run. */
function endedForGood(pod: Pod, lastReported: PodStatus): ReadonlyMap<string, string | undefined> {
  const ended = new Map<string, string | undefined>();
  if (mayRestartAllContainers(pod.spec)) return ended;
  for (const container of pod.spec.containers) {
    const end = endOf(container, lastReported);
    if (!end || restartsAfterExit(container, pod.spec, end.exitCode)) continue;
    ended.set(container.name, end.id);
  }
  return ended;
}

function endOf({ name }: Container, lastReported: PodStatus) {
  const status = findStatus(lastReported.containerStatuses, name);
  const end = status?.state?.terminated;
  return end && { exitCode: end.exitCode, id: end.containerID ?? status?.containerID };
}

/** If the ID of the last reported run is unknown, only a running container is certainly a late run. */
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
