/**
 * Removes containers in crash-loop back-off from the plan of a sync (KL-50).
 *
 * It also returns until when each of them has to wait, so that the pod is synced again exactly then (E-14,
 * F-11). While a regular init container waits, no container after it is started; a sidecar that waits does
 * not delay other containers.
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
      // No container after it may start, so none of them is reported as waiting for its own back-off.
      return { actions: { ...actions, initContainersToStart: init, containersToStart: [] }, held };
    }
  }
  const regular = actions.containersToStart.filter((index) => mayStart(containers[index]));
  if (held.length === 0) return { actions, held };
  return { actions: { ...actions, initContainersToStart: init, containersToStart: regular }, held };
}
