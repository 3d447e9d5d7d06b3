/**
 * Containers that crashed and may not start yet (KL-50).
 *
 * The plan lists the containers to start; this removes those that have to wait, and returns until when,
 * so that the pod is synced again exactly then (E-14, F-11). A regular init container that waits holds
 * back everything behind it; a sidecar that waits holds back only itself.
 */
import { parseTime } from '../../api/values/time.ts';
import type { Container } from '../../api/pod.ts';
import { backOffKey, backOffMessage, waitsUntil, type BackOff } from './crash-backoff.ts';
import { isSidecar } from '../pod/pod-facts.ts';
import type { PodActions, PodActionsView } from './plan.ts';

export interface HeldContainer {
  readonly name: string;
  /** For the status: the container is waiting with reason CrashLoopBackOff. */
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface HeldPlan {
  readonly actions: PodActions;
  readonly held: readonly HeldContainer[];
}

export function holdForCrashBackOff(
  { pod, runtime }: PodActionsView,
  actions: PodActions,
  backOffs: ReadonlyMap<string, BackOff>,
  now: number,
): HeldPlan {
  const held: HeldContainer[] = [];
  const mayStart = (container: Container | undefined): boolean => {
    const exited = runtime.containers.find(
      ({ name, state }) => name === container?.name && state === 'exited',
    );
    if (!container || !exited?.finishedAt) return true;
    const backOff = backOffs.get(backOffKey(pod, container));
    const until = waitsUntil(backOff, parseTime(exited.finishedAt).ms, now);
    if (until === undefined || !backOff) return true;
    held.push({ name: container.name, message: backOffMessage(backOff, pod, container), until });
    return false;
  };
  const { initContainers, containers } = pod.spec;
  const init: number[] = [];
  for (const index of actions.initContainersToStart) {
    const container = initContainers?.[index];
    if (mayStart(container)) init.push(index);
    else if (container && !isSidecar(container)) {
      // Nothing behind it may start, so nothing behind it has a wait of its own.
      return { actions: { ...actions, initContainersToStart: init, containersToStart: [] }, held };
    }
  }
  const regular = actions.containersToStart.filter((index) => mayStart(containers[index]));
  if (held.length === 0) return { actions, held };
  return { actions: { ...actions, initContainersToStart: init, containersToStart: regular }, held };
}
