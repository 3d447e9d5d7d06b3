/**
 * Computes the condition Initialized: whether all init containers are complete (SM-115 to SM-117).
 *
 * Once true it stays true: a restarting sidecar, or a pod that restarts in place, does not make the pod
 * uninitialised again.
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/pod.ts';
import { conditionOf, namesInGo } from './condition-form.ts';
import { INITIALIZED } from './condition-ownership.ts';
import { findStatus, isSidecar } from '../pod/pod-facts.ts';
import type { ReadinessView } from './ready-conditions.ts';

export function initializedCondition(pod: Pod, old: PodStatus, view: ReadinessView): PodCondition {
  const { containerStatuses, phase } = view;
  const initContainers = pod.spec.initContainers ?? [];
  if (!containerStatuses && initContainers.length > 0) {
    return conditionOf(pod, INITIALIZED, 'False', 'UnknownContainerStatuses');
  }
  const { unknown, incomplete } = sortByProgress(initContainers, containerStatuses ?? []);
  if (phase === 'Succeeded' && unknown.length === 0) {
    return conditionOf(pod, INITIALIZED, 'True', 'PodCompleted');
  }
  const problems = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${namesInGo(unknown)}`] : []),
    ...(incomplete.length > 0
      ? [`containers with incomplete status: ${namesInGo(incomplete)}`]
      : []),
  ];
  if (
    problems.length === 0 ||
    hasRegularContainerStarted(pod, containerStatuses ?? []) ||
    isConditionTrue(old.conditions, INITIALIZED)
  ) {
    return conditionOf(pod, INITIALIZED, 'True');
  }
  const message = problems.join(', ');
  return conditionOf(pod, INITIALIZED, 'False', 'ContainersNotInitialized', message);
}

function sortByProgress(
  initContainers: readonly Container[],
  statuses: readonly ContainerStatus[],
): { readonly unknown: readonly string[]; readonly incomplete: readonly string[] } {
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of initContainers) {
    const status = findStatus(statuses, container.name);
    if (!status) unknown.push(container.name);
    else if (!(isSidecar(container) ? status.started : status.ready)) {
      incomplete.push(container.name);
    }
  }
  return { unknown, incomplete };
}

/** A regular container that ran proves that initialisation was over by then. */
function hasRegularContainerStarted({ spec }: Pod, statuses: readonly ContainerStatus[]): boolean {
  const regular = new Set(spec.containers.map(({ name }) => name));
  return statuses.some(
    ({ name, state }) => regular.has(name) && Boolean(state?.running ?? state?.terminated),
  );
}
