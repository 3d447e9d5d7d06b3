/**
 * Decides which init containers and sidecars to start or stop next.
 *
 * The list is walked from its end, because finished init containers may have been removed: the last one with
 * a record shows how far the pod got. Of the containers before that one, only sidecars matter, which have to
 * be kept running.
 *
 *     [ done ][ done ][ sidecar ][ the last with a record ][ not begun ]
 *                        <──────── walked this way ────────────────────
 *
 * Starts are collected in that order too and reversed at the end, so that they happen in order.
 */
import type { Container } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { isSidecar } from '../pod/pod-facts.ts';
import { restartsOnFailure } from './restart-policy.ts';
import { findNewest, shouldBeStarted } from '../pod/runtime-facts.ts';
import type { ContainerKill, Draft, PodActionsView } from './plan.ts';
import { planResize } from './resize.ts';

/** One init container, with what is known when the walk reaches it. */
interface Step {
  readonly view: PodActionsView;
  readonly draft: Draft;
  readonly container: Container;
  readonly index: number;
  readonly isLast: boolean;
  readonly observed: RuntimeContainer;
  /** A later container shows that this one was initialised before. */
  readonly wasInitialized: boolean;
}

/** `initialized`: it was the last one, and it is complete. `failed`: the pod has failed. */
type Finding = 'initialized' | 'failed' | 'continue';

/** Returns whether the pod is initialised, so that its regular containers may run. */
export function planInitContainers(view: PodActionsView, draft: Draft): boolean {
  const containers = view.pod.spec.initContainers ?? [];
  if (containers.length === 0) return true;

  let hasInitialized = isRegularContainerUp(view);
  let wasInitialized = hasInitialized;
  for (const [index, container] of [...containers.entries()].toReversed()) {
    const observed = findNewest(view.runtime, container.name);
    if (!observed) {
      if (wasInitialized && isSidecar(container)) draft.initContainersToStart.push(index);
      continue;
    }
    if (wasInitialized && !isSidecar(container)) continue;
    const isLast = index === containers.length - 1;
    const step = { view, draft, container, index, isLast, observed, wasInitialized };
    const finding = planStep(step);
    if (finding === 'failed') {
      draft.killPod = true;
      draft.initContainersToStart = [];
      return false;
    }
    if (finding === 'initialized') hasInitialized = true;
    wasInitialized = true;
  }
  if (!wasInitialized) draft.initContainersToStart.push(0);
  draft.initContainersToStart.reverse();
  return hasInitialized;
}

/**
 * A regular container that was created or runs proves initialisation. One that exited does not:
 * after a reboot all have exited, and the new sandbox has not been initialised.
 */
function isRegularContainerUp({ pod, runtime }: PodActionsView): boolean {
  return pod.spec.containers.some(({ name }) => {
    const state = findNewest(runtime, name)?.state;
    return state === 'created' || state === 'running';
  });
}

function planStep(step: Step): Finding {
  switch (step.observed.state) {
    case 'created':
      // podkeep creates and starts a container in one step, so the start failed.
      step.draft.initContainersToStart.push(step.index);
      return 'continue';
    case 'running':
      return isSidecar(step.container) ? planRunningSidecar(step) : planRunningInit(step);
    case 'exited':
      return planExited(step);
    case 'unknown':
      return planUnknown(step);
  }
}

function planRunningInit(step: Step): Finding {
  resize(step);
  return 'continue';
}

function planRunningSidecar(step: Step): Finding {
  const { view, container, observed } = step;
  if (container.startupProbe) {
    const startup = view.startup.get(observed.id);
    if (startup === 'failure') restart(step, 'failed startup probe', 'StartupProbe');
    if (startup !== 'success') return 'continue';
  }
  const finding = letNextStart(step, !step.wasInitialized);
  if (view.changed.has(observed.id)) {
    restart(step, 'definition changed');
    return finding;
  }
  if (container.livenessProbe) {
    const liveness = view.liveness.get(observed.id);
    if (liveness === undefined) return finding;
    if (liveness === 'failure') {
      restart(step, 'failed liveness probe', 'LivenessProbe');
      return finding;
    }
  }
  resize(step);
  return finding;
}

function planExited(step: Step): Finding {
  const { view, draft, container, index, observed } = step;
  if (isSidecar(container)) {
    draft.initContainersToStart.push(index);
    return 'continue';
  }
  const failed = observed.reason === 'OOMKilled' || (observed.exitCode ?? 0) !== 0;
  if (!failed) return letNextStart(step, true);
  if (!shouldBeStarted(view.pod, container, view.runtime)) return 'failed';
  draft.initContainersToStart.push(index);
  return 'continue';
}

function planUnknown(step: Step): Finding {
  const { view, draft, container, index, observed } = step;
  if (!isSidecar(container) && !restartsOnFailure(container, view.pod.spec)) return 'failed';
  const message = 'Init container is in "unknown" state, try killing it before restart';
  draft.containersToKill.push({
    id: observed.id,
    name: container.name,
    message,
    reason: 'Unknown',
  });
  draft.initContainersToStart.push(index);
  return 'continue';
}

/** This init container is complete: the pod is initialised, or the next init container may start. */
function letNextStart({ draft, index, isLast }: Step, isFirstTime: boolean): Finding {
  if (isLast) return 'initialized';
  if (isFirstTime) draft.initContainersToStart.push(index + 1);
  return 'continue';
}

function restart(step: Step, why: string, reason?: ContainerKill['reason']): void {
  const { draft, container, index, observed } = step;
  const message = `Init container ${container.name} ${why}`;
  const kill = { id: observed.id, name: container.name, message };
  draft.containersToKill.push(reason ? { ...kill, reason } : kill);
  draft.initContainersToStart.push(index);
}

function resize({ view, draft, container, index, observed }: Step): void {
  planResize(view, draft, container, observed, () => draft.initContainersToStart.push(index));
}
