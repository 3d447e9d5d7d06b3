/**
 * Plans a restart of all containers in place: every container is removed, so that all of them start again
 * (E-7).
 *
 * Containers whose exit caused the restart are removed last. As long as one of them exists, a podkeep process
 * that is restarted half-way still sees why the others are gone.
 */
import type { Container } from '../../api/pod.ts';
import { restartsAllContainers } from './restart-policy.ts';
import type { ContainerReset, PodActionsView } from './plan.ts';

export function planReset(view: PodActionsView): ContainerReset[] {
  const { initContainers, containers } = view.pod.spec;
  const init = resetsOf(view, initContainers ?? []);
  const regular = resetsOf(view, containers);
  return [...regular.targets, ...init.targets, ...regular.sources, ...init.sources];
}

/** Every record of each container, not just the newest: none may stay behind. */
function resetsOf({ runtime }: PodActionsView, containers: readonly Container[]) {
  const sources: ContainerReset[] = [];
  const targets: ContainerReset[] = [];
  for (const container of containers) {
    for (const { id, name, state, exitCode = 0 } of runtime.containers) {
      if (name !== container.name) continue;
      const exited = state === 'exited';
      const asked = exited && restartsAllContainers(container, exitCode);
      (asked ? sources : targets).push({ id, name, kill: !exited });
    }
  }
  return { sources, targets };
}
