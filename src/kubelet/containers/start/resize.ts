/**
 * Resizes the containers of a pod while they run (E-2 to E-4), in the order of the plan: memory, then CPU,
 * shrinking before growing. The applied resources are stored, so that a restart of podkeep does not repeat
 * a resize.
 */
import type { Pod } from '../../../api/pod.ts';
import type { ResourceRequirements } from '../../../api/resources.ts';
import type { RuntimePod } from '../../../api/runtime-pod.ts';
import type {
  ActuatedResources,
  ContainerUpdate,
  PodActions,
  ResizableResource,
  ResourceNumbers,
} from '../../../core/pod-actions/plan.ts';
import { isStartingResized, needsPodLevelResize } from '../../../core/pod-actions/resize.ts';
import { initAndRegularContainers } from '../../../core/pod/pod-facts.ts';
import { findNewest } from '../../../core/pod/runtime-facts.ts';
import type { PodCgroups } from '../../../ports/pod/pod-cgroups.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import type { StateStore } from '../../../ports/pod/state-store.ts';
import { kernelResources, type KernelDeps } from '../config/kernel-resources.ts';
import { findContainer, podReferenceOf } from '../../../api/run-spec.ts';

export interface ResizeDeps extends KernelDeps {
  readonly runtime: Pick<PodRuntime, 'updateResources'>;
  readonly actuated?: StateStore | undefined;
  readonly cgroups?: PodCgroups | undefined;
}

/**
 * The resources that were applied to the pod. A container without stored resources counts as having its
 * allocated ones. Undefined: this node cannot resize pods in place.
 */
export function actuatedOf({ actuated }: ResizeDeps, pod: Pod): ActuatedResources | undefined {
  if (!actuated) return undefined;
  const known = actuated.podResources(podReferenceOf(pod).uid);
  return {
    containers: new Map([...grantedTo(pod), ...(known?.containers ?? [])]),
    pod: known ? known.pod : pod.spec.resources,
  };
}

/**
 * Called when a pod gets its sandbox. All resources of a new pod are stored as applied, with one write: a
 * resize before its containers start then only changes its cgroup.
 */
export async function noteStart({ actuated }: ResizeDeps, pod: Pod): Promise<void> {
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

/** Whether a running container's allocated resources differ from the applied ones (KL-2, step 2). */
export function isResizing(deps: ResizeDeps, pod: Pod, runtime: RuntimePod): boolean {
  const actuated = actuatedOf(deps, pod);
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
  const resizable = initAndRegularContainers(pod.spec);
  const running = resizable.filter(({ name }) => findNewest(runtime, name)?.state === 'running');
  if (running.length === 0) return false;
  return isStartingResized(view, running, [...running.keys()]) || needsPodLevelResize(view);
}

/** If the runtime cannot resize containers in place, every resize restarts them. */
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

export async function resizePod(deps: ResizeDeps, pod: Pod, actions: PodActions): Promise<void> {
  const { cgroups, actuated } = deps;
  const { uid } = podReferenceOf(pod);
  // The resources that each container has at this point: memory is resized before CPU.
  const current = new Map<string, ResourceNumbers>();
  await cgroups?.raise(pod);
  for (const resource of ['memory', 'cpu'] as const) {
    for (const update of actions.containersToUpdate[resource]) {
      const mixed = mix(current.get(update.id) ?? update.current, update, resource);
      await updateContainer(deps, pod, update, mixed);
      current.set(update.id, mixed);
    }
  }
  await cgroups?.settle(pod);
  if (actions.updatePodLevelResources) {
    await actuated?.setPodLevelResources(uid, pod.spec.resources);
  }
}

async function updateContainer(
  deps: ResizeDeps,
  pod: Pod,
  { id, name, desired }: ContainerUpdate,
  numbers: ResourceNumbers,
): Promise<void> {
  const { runtime, actuated } = deps;
  const container = findContainer(pod, name)?.container;
  if (!container) return;
  const resources = requirementsOf(numbers);
  const given = kernelResources(pod, { ...container, resources }, deps);
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
