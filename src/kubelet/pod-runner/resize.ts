/**
 * Resizes the containers of a pod while they run (E-2 to E-4), in the order of the plan: memory,
 * then CPU, what shrinks before what grows. What was applied is written down, so that a restart of
 * podkeep does not resize again what is done.
 */
import type { Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type {
  ActuatedResources,
  ContainerUpdate,
  PodActions,
  ResizableResource,
  ResourceNumbers,
} from '../../core/pod-actions/plan.ts';
import { isStartingResized, needsPodLevelResize } from '../../core/pod-actions/resize.ts';
import { initAndRegularContainers, isSidecar } from '../../core/pod-facts.ts';
import { findNewest } from '../../core/runtime-facts.ts';
import type { PodCgroups } from '../../ports/pod-cgroups.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { kernelResources, type KernelRoom } from './kernel-resources.ts';
import { findContainer, podReferenceOf } from './run-spec.ts';

export interface ResizeRoom extends KernelRoom {
  readonly runtime: Pick<PodRuntime, 'updateResources'>;
  readonly actuated?: StateStore | undefined;
  readonly cgroups?: PodCgroups | undefined;
}

/**
 * What was applied to the pod. Nobody remembers it for a container that was made before there was
 * such a memory: it counts as given what it was granted. Undefined: this node resizes nothing.
 */
export function actuatedOf({ actuated }: ResizeRoom, pod: Pod): ActuatedResources | undefined {
  if (!actuated) return undefined;
  const known = actuated.podResources(podReferenceOf(pod).uid);
  return {
    containers: new Map([...grantedTo(pod), ...(known?.containers ?? [])]),
    pod: known ? known.pod : pod.spec.resources,
  };
}

/**
 * For a pod that gets its sandbox. One that is new counts as given all that it was granted: a resize
 * before its containers start is one of its control group then. And it is one write for all of them.
 */
export async function noteStart({ actuated }: ResizeRoom, pod: Pod): Promise<void> {
  const { uid } = podReferenceOf(pod);
  const { resources } = pod.spec;
  if (actuated?.podResources(uid)) await actuated.setPodLevelResources(uid, resources);
  else await actuated?.setPodResources(uid, { containers: grantedTo(pod), pod: resources });
}

function grantedTo({ spec }: Pod): ReadonlyMap<string, ResourceRequirements> {
  return new Map(
    initAndRegularContainers(spec).map(({ name, resources = {} }) => [name, resources]),
  );
}

/** Was more or less granted to a running container than it was given (KL-2, step 2)? */
export function isResizing(room: ResizeRoom, pod: Pod, runtime: RuntimePod): boolean {
  const actuated = actuatedOf(room, pod);
  if (!actuated) return false;
  const view = {
    pod,
    runtime,
    actuated,
    restartAllContainers: false,
    changed: new Set<string>(),
    liveness: new Map(),
    startup: new Map(),
  };
  const resizable = [...pod.spec.containers, ...(pod.spec.initContainers ?? []).filter(isSidecar)];
  const running = resizable.filter(({ name }) => findNewest(runtime, name)?.state === 'running');
  if (running.length === 0) return false;
  return isStartingResized(view, running, [...running.keys()]) || needsPodLevelResize(view);
}

/** Without a way to resize, every resize is a restart. */
export function withRestartingResize(pod: Pod): Pod {
  const resizePolicy = (['cpu', 'memory'] as const).map((resourceName) => ({
    resourceName,
    restartPolicy: 'RestartContainer' as const,
  }));
  const containers = pod.spec.containers.map((container) => ({ ...container, resizePolicy }));
  return { ...pod, spec: { ...pod.spec, containers } };
}

export function needsResize({
  containersToUpdate: { cpu, memory },
  updatePodResources,
  updatePodLevelResources,
}: PodActions): boolean {
  return cpu.length > 0 || memory.length > 0 || updatePodResources || updatePodLevelResources;
}

export async function resizePod(room: ResizeRoom, pod: Pod, actions: PodActions): Promise<void> {
  const { cgroups, actuated } = room;
  const { uid } = podReferenceOf(pod);
  // What each container has while it is under way: memory is done before CPU is begun.
  const current = new Map<string, ResourceNumbers>();
  await cgroups?.raise(pod);
  for (const resource of ['memory', 'cpu'] as const) {
    for (const update of actions.containersToUpdate[resource]) {
      const mixed = mix(current.get(update.id) ?? update.current, update, resource);
      await updateContainer(room, pod, update, mixed);
      current.set(update.id, mixed);
    }
  }
  await cgroups?.settle(pod);
  if (actions.updatePodLevelResources) {
    await actuated?.setPodLevelResources(uid, pod.spec.resources);
  }
}

async function updateContainer(
  room: ResizeRoom,
  pod: Pod,
  { id, name, desired }: ContainerUpdate,
  numbers: ResourceNumbers,
): Promise<void> {
  const { runtime, actuated } = room;
  const container = findContainer(pod, name)?.container;
  if (!container) return;
  const resources = requirementsOf(numbers);
  const given = kernelResources(pod, { ...container, resources }, room);
  await runtime.updateResources?.(id, given);
  const isDone = JSON.stringify(resources) === JSON.stringify(requirementsOf(desired));
  const applied = isDone ? (container.resources ?? {}) : resources;
  await actuated?.setContainerResources(podReferenceOf(pod).uid, name, applied);
}

function mix(
  current: ResourceNumbers,
  { desired }: ContainerUpdate,
  resource: ResizableResource,
): ResourceNumbers {
  const { memoryLimit, memoryRequest, cpuLimit, cpuRequest } = desired;
  return resource === 'memory'
    ? { ...current, memoryLimit, memoryRequest }
    : { ...current, cpuLimit, cpuRequest };
}

function requirementsOf(numbers: ResourceNumbers): ResourceRequirements {
  const { memoryLimit, memoryRequest, cpuLimit, cpuRequest } = numbers;
  return {
    limits: {
      ...(cpuLimit > 0n && { cpu: `${cpuLimit}m` }),
      ...(memoryLimit > 0n && { memory: `${memoryLimit}` }),
    },
    requests: {
      ...(cpuRequest > 0n && { cpu: `${cpuRequest}m` }),
      ...(memoryRequest > 0n && { memory: `${memoryRequest}` }),
    },
  };
}
