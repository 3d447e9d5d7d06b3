/** The plan for one sync of a pod, and what it is made from. Data in, data out. */
import type { Pod } from '../../api/pod.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { ProbeResult } from '../pod-status/probe-status.ts';

export interface PodActionsView {
  /** With its allocated resources in its spec. */
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  /** A container's restart rule restarts all of them (E-7). */
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
  /** Stopped if need be and removed, in this order: the one that caused the restart goes last. */
  readonly containersToReset: readonly ContainerReset[];
  /** In this order: what shrinks goes before what grows. */
  readonly containersToUpdate: Readonly<Record<ResizableResource, readonly ContainerUpdate[]>>;
  /** The pod's own limits follow those of its containers. */
  readonly updatePodResources: boolean;
  /** The limits that the pod's spec sets for the pod as a whole changed. */
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

/** A plan while it is being made. Never leaves this folder. */
export type Draft = {
  -readonly [Name in keyof PodActions]: PodActions[Name] extends readonly (infer Item)[]
    ? Item[]
    : PodActions[Name] extends Readonly<Record<ResizableResource, readonly (infer Item)[]>>
      ? Record<ResizableResource, Item[]>
      : PodActions[Name];
};
