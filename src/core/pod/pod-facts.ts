/** Small predicates about pods that many rules share. */
import type { Container, ContainerStatus, Pod, PodPhase, PodSpec } from '../../api/pod.ts';

const CONFIG_SOURCE_ANNOTATION = 'kubernetes.io/config.source';
const CONFIG_MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Succeeded and Failed are final: no container of this pod runs again. */
export function isTerminalPhase(phase: PodPhase | undefined): phase is 'Succeeded' | 'Failed' {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** A pod that came from a manifest on this machine, not from the API (KL-60). */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
}

/** The API's mirror of a static pod (KL-60). */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] !== undefined;
}

export function isBeingDeleted(pod: Pod): boolean {
  return (pod.metadata.deletionTimestamp ?? null) !== null;
}

/** An init container that keeps running beside the regular ones (E-5). */
export function isSidecar(initContainer: Container): boolean {
  return initContainer.restartPolicy === 'Always';
}

/** Init containers in order, then regular containers. */
export function initAndRegularContainers(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

export function findStatus(
  statuses: readonly ContainerStatus[] | null | undefined,
  name: string,
): ContainerStatus | undefined {
  return statuses?.find((status) => status.name === name);
}

/**
 * The init container of the status at `index`, provided that spec and status agree on its name. Init
 * statuses are in the order of the spec, so a mismatch means that one is wrong.
 */
export function initContainerAt(
  spec: PodSpec,
  statuses: readonly ContainerStatus[],
  index: number,
): Container | undefined {
  const container = spec.initContainers?.[index];
  return container && container.name === statuses[index]?.name ? container : undefined;
}
