/**
 * The types of a pod as the API has it: its spec (what should run) and its status (what runs).
 *
 * They name only the fields that podkeep's rules read; meta.ts explains how the others survive. A Go `nil` is
 * an absent field here, and so is `null`, which older clients send for empty times.
 */
import type { ObjectMeta, Time } from './meta.ts';
import type { ResourceList, ResourceRequirements } from './resources.ts';

export interface Pod {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';
export type ContainerRestartRuleAction = 'Restart' | 'RestartAllContainers';

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
  readonly restartPolicy?: RestartPolicy;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly overhead?: ResourceList;
  readonly resources?: ResourceRequirements;
}

/** A regular, init or ephemeral container. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  /** On an init container, `Always` makes it a sidecar. */
  readonly restartPolicy?: RestartPolicy;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
  readonly startupProbe?: object;
}

export interface ContainerResizePolicy {
  readonly resourceName: string;
  readonly restartPolicy: 'NotRequired' | 'RestartContainer';
}

export interface ContainerRestartRule {
  readonly action: ContainerRestartRuleAction;
  readonly exitCodes?: {
    readonly operator: 'In' | 'NotIn';
    readonly values?: readonly number[];
  };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: 'Disabled' | 'IfPossible' | 'Enabled';
  readonly mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional';
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';
export type ConditionStatus = 'True' | 'False' | 'Unknown';

export interface PodStatus {
  readonly observedGeneration?: number;
  readonly phase?: PodPhase;
  readonly conditions?: readonly PodCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: Time | null;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly qosClass?: QosClass;
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly resourceClaimStatuses?: readonly object[];
  readonly extendedResourceClaimStatus?: object;
  readonly nodeAllocatableResourceClaimStatuses?: readonly object[];
}

export interface PodCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly observedGeneration?: number;
  readonly lastProbeTime?: Time | null;
  readonly lastTransitionTime?: Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly started?: boolean | null;
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly volumeMounts?: readonly VolumeMountStatus[];
  readonly user?: ContainerUser;
  readonly stopSignal?: string;
}

export interface VolumeMountStatus {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: 'Disabled' | 'Enabled';
}

export interface ContainerUser {
  readonly linux?: {
    readonly uid: number;
    readonly gid: number;
    readonly supplementalGroups?: readonly number[];
  };
}

/** At most one of the three is present; without any, the state is unknown. */
export interface ContainerState {
  readonly waiting?: ContainerStateWaiting | null;
  readonly running?: ContainerStateRunning | null;
  readonly terminated?: ContainerStateTerminated | null;
}

export interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStateRunning {
  readonly startedAt?: Time | null;
}

export interface ContainerStateTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: Time | null;
  readonly finishedAt?: Time | null;
  readonly containerID?: string;
}
