/**
 * The inputs of admission: a pod, the node, and the pods that are on it already.
 *
 * The fields are those of the API objects; this file declares the types of the fields that only admission
 * reads. A field that the API server would default may be absent: the code that reads it applies the default.
 */
import type { Labels } from '../../api/values/label-selector.ts';
import type { Container, Pod, PodSpec } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { Others } from './other-pods.ts';
import type { SysctlAllowlist } from './sysctls.ts';

export interface AdmissionView {
  /** The pod to admit, with its allocated resources if it has any, else with those of its spec. */
  readonly pod: Pod;
  /** The active pods of this node (KL-63) with their allocated resources, without this one. */
  readonly others: Others;
  /** Null: podkeep has not read the Node yet. */
  readonly node: AdmissionNode | null;
  readonly allocatable: ResourceList;
  /** The conditions of pressure that the node is under now, such as `MemoryPressure`. */
  readonly pressures: readonly string[];
  readonly platform: Platform;
  /** Absent: the node is not shutting down. */
  readonly isShuttingDown?: boolean;
}

/** What this machine and its runtime support, which does not change while podkeep runs. */
export interface Platform {
  /** Go's name of the platform: `linux`, `darwin`, `windows`. */
  readonly os: string;
  /** Why AppArmor profiles cannot be enforced. Null: they can. */
  readonly appArmorFault: string | null;
  readonly sysctls: SysctlAllowlist;
  /** Features that pods may depend on, by the names that the node declares in its status. */
  readonly declaredFeatures: ReadonlySet<string>;
  /** Pods share the network of the machine, and their ports are the machine's. Absent: they do not. */
  readonly sharesNetwork?: boolean;
}

export interface AdmissionNode {
  readonly metadata: { readonly name?: string; readonly labels?: Labels };
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly features?: { readonly supplementalGroupsPolicy?: boolean } };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface AdmissionPodSpec extends PodSpec {
  readonly containers: readonly AdmissionContainer[];
  readonly initContainers?: readonly AdmissionContainer[];
  readonly ephemeralContainers?: readonly AdmissionContainer[];
  readonly nodeSelector?: Labels;
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly tolerations?: readonly Toleration[];
  readonly priority?: number;
  readonly os?: { readonly name: string };
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly securityContext?: {
    readonly appArmorProfile?: AppArmorProfile;
    readonly supplementalGroupsPolicy?: string;
    readonly sysctls?: readonly { readonly name: string }[];
  };
}

export interface AdmissionContainer extends Container {
  readonly ports?: readonly DeclaredPort[];
  readonly securityContext?: { readonly appArmorProfile?: AppArmorProfile };
}

export interface DeclaredPort {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface AppArmorProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
  };
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export function admissionSpecOf({ spec }: Pod): AdmissionPodSpec {
  return spec;
}
