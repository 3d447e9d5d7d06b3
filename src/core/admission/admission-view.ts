/**
 * What the rules of admission look at: a pod, the node, and the pods that are on it already.
 *
 * The fields are on the wire objects; here those that only admission reads get their types. A field
 * that an API server would have set by default may be absent: whoever reads it says what that means.
 */
import type { Labels } from '../../api/label-selector.ts';
import type { Container, Pod, PodSpec } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { Others } from './crowd.ts';
import type { SysctlAllowlist } from './sysctls.ts';

export interface AdmissionView {
  /** With what it was granted, if it was granted something before; else with what it asks for. */
  readonly pod: Pod;
  /** The active pods of this node (KL-63) with what they were granted, without this one. */
  readonly others: Others;
  /** Null: nobody knows it yet. */
  readonly node: AdmissionNode | null;
  readonly allocatable: ResourceList;
  /** The conditions of pressure that the node is under now, such as `MemoryPressure`. */
  readonly pressures: readonly string[];
  readonly platform: Platform;
}

/** What this machine and its runtime can do, which does not change while podkeep runs. */
export interface Platform {
  /** In Go's words: `linux`, `darwin`, `windows`. */
  readonly os: string;
  /** Why AppArmor profiles cannot be enforced; null if they can. */
  readonly appArmorFault: string | null;
  readonly sysctls: SysctlAllowlist;
  /** Features that pods may depend on, by the names that the node declares in its status. */
  readonly declaredFeatures: ReadonlySet<string>;
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
  readonly ports?: readonly HostPort[];
  readonly securityContext?: { readonly appArmorProfile?: AppArmorProfile };
}

export interface HostPort {
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
