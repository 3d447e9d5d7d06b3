/** The input and the output of `podActions`: what is known about a pod, and the plan for one sync. */
import type { Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ProbeResult } from '../pod-status/probe-status.ts';

export interface PodActionsView {
  /** With its allocated resources in its spec. */
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  /** A restart rule of a container restarts all containers of the pod (E-7). */
  readonly restartAllContainers: boolean;
  /** IDs of containers that were started from another spec than the pod has now (its image). */
  readonly changed: ReadonlySet<string>;
  /** Newest probe results by container ID. */
  readonly liveness: ReadonlyMap<string, ProbeResult>;
  readonly startup: ReadonlyMap<string, ProbeResult>;
  /** The actual resources (E-4). Absent: this runtime cannot resize in place. */
  readonly actuated?: ActuatedResources | undefined;
}

export interface ActuatedResources {
  readonly containers: ReadonlyMap<string, ResourceRequirements>;
  readonly pod?: ResourceRequirements | undefined;
}

/**
 * What to do, in this order: stop the pod, or stop, reset and resize single containers; make the
 * sandbox; start ephemeral, init and then regular containers. Indexes are into the spec's lists.
 */
export interface PodActions {
  /** Stop every container and the sandbox. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  /** The sandbox to start containers in. Empty: there is none to name. */
  readonly sandboxID: string;
  readonly attempt: number;
  readonly ephemeralContainersToStart: readonly number[];
  readonly initContainersToStart: readonly number[];
  readonly containersToStart: readonly number[];
  readonly containersToKill: readonly ContainerKill[];
  /**
   * Containers to stop (if they run) and remove, in this order: the container that caused the restart is
   * last.
   */
  readonly containersToReset: readonly ContainerReset[];
  /** In this order: containers that shrink before containers that grow. */
  readonly containersToUpdate: Readonly<Record<ResizableResource, readonly ContainerUpdate[]>>;
  /** The limits of the pod's cgroup have to be updated with those of its containers. */
  readonly updatePodResources: boolean;
  /** The pod-level resources in the pod's spec changed. */
  readonly updatePodLevelResources: boolean;
}

export type KillReason = 'StartupProbe' | 'LivenessProbe' | 'Unknown';
export type ResizableResource = 'cpu' | 'memory';

export interface ContainerKill {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly reason?: KillReason;
}

export interface ContainerReset {
  readonly id: string;
  readonly name: string;
  readonly kill: boolean;
}

export interface ContainerUpdate {
  readonly id: string;
  readonly name: string;
  readonly desired: ResourceNumbers;
  readonly current: ResourceNumbers;
}

/** As passed to the runtime: memory in bytes, CPU in thousandths. Zero: not set. */
export interface ResourceNumbers {
  readonly memoryLimit: bigint;
  readonly memoryRequest: bigint;
  readonly cpuLimit: bigint;
  readonly cpuRequest: bigint;
}

/** A plan while it is being built. Only files of this folder use it. */
export type Draft = {
  -readonly [Name in keyof PodActions]: PodActions[Name] extends readonly (infer Item)[]
    ? Item[]
    : PodActions[Name] extends Readonly<Record<ResizableResource, readonly (infer Item)[]>>
      ? Record<ResizableResource, Item[]>
      : PodActions[Name];
};
