/** Decides which regular containers of an initialised pod to start, stop or leave running. */
import type { Container } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { restartsOnFailure } from './restart-policy.ts';
import { findNewest, shouldBeStarted } from '../pod/runtime-facts.ts';
import type { ContainerKill, Draft, PodActionsView } from './plan.ts';
import { planResize } from './resize.ts';

export function planRegularContainers(view: PodActionsView, draft: Draft): void {
  const { containers } = view.pod.spec;
  let kept = 0;
  for (const [index, container] of containers.entries()) {
    const observed = findNewest(view.runtime, container.name);
    if (observed?.state === 'running') {
      if (planRunning(view, draft, index, container, observed)) kept += 1;
    } else if (shouldBeStarted(view.pod, container, view.runtime)) {
      draft.containersToStart.push(index);
      if (observed?.state === 'unknown') draft.containersToKill.push(killUnknown(observed));
    }
  }
  if (kept === 0 && draft.containersToStart.length === 0) {
    // Nothing is left to do, and sidecars alone do not keep a pod alive.
    draft.killPod = true;
    draft.initContainersToStart = [];
  }
}

/** Returns whether the container stays as it is. */
function planRunning(
  view: PodActionsView,
  draft: Draft,
  index: number,
  container: Container,
  observed: RuntimeContainer,
): boolean {
  const fault = findFault(view, container, observed);
  if (!fault)
    return planResize(view, draft, container, observed, () => draft.containersToStart.push(index));
  const restart = fault.reason === undefined || restartsOnFailure(container, view.pod.spec);
  if (restart) draft.containersToStart.push(index);
  const message = restart ? `${fault.message}, will be restarted` : fault.message;
  draft.containersToKill.push({ ...fault, message });
  return false;
}

/**
 * Why a running container is stopped. A changed definition sets no `reason`: it restarts under every restart
 * policy.
 */
function findFault(
  view: PodActionsView,
  { name }: Container,
  { id }: RuntimeContainer,
): ContainerKill | undefined {
  if (view.changed.has(id)) return { id, name, message: `Container ${name} definition changed` };
  if (view.liveness.get(id) === 'failure') {
    return {
      id,
      name,
      message: `Container ${name} failed liveness probe`,
      reason: 'LivenessProbe',
    };
  }
  if (view.startup.get(id) === 'failure') {
    return { id, name, message: `Container ${name} failed startup probe`, reason: 'StartupProbe' };
  }
  return undefined;
}

/** It may still run: stopping it first keeps two instances from running side by side. */
function killUnknown({ id, name }: RuntimeContainer): ContainerKill {
  const message = 'Container is in "unknown" state, try killing it before restart';
  return { id, name, message, reason: 'Unknown' };
}
