/**
 * Computes the conditions ContainersReady and Ready (SM-110 to SM-114, SM-121, SM-122).
 *
 * ContainersReady covers every sidecar and regular container; Ready also covers the conditions that the pod
 * names as readiness gates. Both have the generation of the pod as observedGeneration (SM-120).
 */
import { findCondition } from '../../api/condition.ts';
import type { ContainerStatus, Pod, PodCondition, PodPhase } from '../../api/pod.ts';
import { conditionOf, namesInGo } from './condition-form.ts';
import { CONTAINERS_READY, READY } from './condition-ownership.ts';
import { findStatus, isSidecar } from '../pod/pod-facts.ts';

export interface ReadinessView {
  /** Init and regular statuses. Absent is not the same as an empty list (SM-110). */
  readonly containerStatuses: readonly ContainerStatus[] | null | undefined;
  readonly phase: PodPhase | undefined;
}

export function containersReadyCondition(pod: Pod, view: ReadinessView): PodCondition {
  const { containerStatuses, phase } = view;
  if (!containerStatuses) {
    return conditionOf(pod, CONTAINERS_READY, 'False', 'UnknownContainerStatuses');
  }
  const { unknown, unready } = sortByReadiness(pod, containerStatuses);
  if (phase === 'Failed' || (phase === 'Succeeded' && unknown.length === 0)) {
    return terminalReadiness(pod, CONTAINERS_READY, phase);
  }
  const problems = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${namesInGo(unknown)}`] : []),
    ...(unready.length > 0 ? [`containers with unready status: ${namesInGo(unready)}`] : []),
  ];
  if (problems.length > 0) {
    const message = problems.join(', ');
    return conditionOf(pod, CONTAINERS_READY, 'False', 'ContainersNotReady', message);
  }
  return conditionOf(pod, CONTAINERS_READY, 'True');
}

/** `conditions` are those that readiness gates may name. */
export function readyCondition(
  pod: Pod,
  view: ReadinessView,
  conditions: readonly PodCondition[] | undefined,
): PodCondition {
  const containersReady = containersReadyCondition(pod, view);
  if (containersReady.status !== 'True') return { ...containersReady, type: READY };
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = findCondition(conditions, conditionType);
    const name = JSON.stringify(conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate ${name} does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate ${name} is not "True", but ${gate.status}`];
  });
  if (problems.length > 0) {
    return conditionOf(pod, READY, 'False', 'ReadinessGatesNotReady', problems.join(', '));
  }
  return conditionOf(pod, READY, 'True');
}

/** Ready or ContainersReady of a terminal pod (SM-121). */
export function terminalReadiness(
  pod: Pod,
  type: string,
  phase: PodPhase | undefined,
): PodCondition {
  return conditionOf(pod, type, 'False', phase === 'Failed' ? 'PodFailed' : 'PodCompleted');
}

/**
 * Did the condition of a readiness gate change, so that Ready must be computed again (SM-122)?
 * Sidecars count here, or a pod with both would be reconciled endlessly.
 */
export function needsReadinessReconcile(pod: Pod): boolean {
  if (!pod.spec.readinessGates?.length) return false;
  const { conditions, initContainerStatuses, containerStatuses, phase } = pod.status ?? {};
  const current = findCondition(conditions, READY);
  if (!current) return false;
  const known = initContainerStatuses ?? containerStatuses;
  const statuses = known && [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])];
  const expected = readyCondition(pod, { containerStatuses: statuses, phase }, conditions);
  return current.status !== expected.status || (current.message ?? '') !== (expected.message ?? '');
}

function sortByReadiness(
  { spec }: Pod,
  statuses: readonly ContainerStatus[],
): { readonly unknown: readonly string[]; readonly unready: readonly string[] } {
  const unknown: string[] = [];
  const unready: string[] = [];
  const asked = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers];
  for (const { name } of asked) {
    const status = findStatus(statuses, name);
    if (!status) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  return { unknown, unready };
}
