/**
 * Types for the fields of a pod's spec that the kubelet needs to run it, beside those that the rules of core/
 * read (pod.ts).
 *
 * A field that the API server would default may be absent: the code that reads it applies the default.
 */
import type { Container, Pod, PodSpec } from './pod.ts';
import type { ContainerReference } from './container-reference.ts';
import type { PodReference } from './pod-reference.ts';

export interface SeLinuxLabel {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export type SupplementalGroupsPolicy = 'Merge' | 'Strict';

export interface RunPodSpec extends PodSpec {
  readonly containers: readonly RunContainer[];
  readonly initContainers?: readonly RunContainer[];
  readonly ephemeralContainers?: readonly RunContainer[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly hostnameOverride?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly dnsConfig?: PodDnsConfig;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly runtimeClassName?: string;
  /** False: the pod has its own user namespace, and its users have no rights on the host. */
  readonly hostUsers?: boolean;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
}

export interface PodDnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface PodSecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  readonly seLinuxOptions?: SeLinuxLabel;
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
  readonly seccompProfile?: SecurityProfile;
  readonly appArmorProfile?: SecurityProfile;
}

export interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly privileged?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly procMount?: 'Default' | 'Unmasked';
  readonly seLinuxOptions?: SeLinuxLabel;
  readonly seccompProfile?: SecurityProfile;
  readonly appArmorProfile?: SecurityProfile;
}

export interface SecurityProfile {
  readonly type: 'RuntimeDefault' | 'Unconfined' | 'Localhost';
  readonly localhostProfile?: string;
}

export interface RunContainer extends Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly ports?: readonly ContainerPort[];
  readonly lifecycle?: Lifecycle;
  readonly livenessProbe?: GracefulProbe;
  readonly startupProbe?: GracefulProbe;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
  /** Of an ephemeral container: the container whose processes it sees. */
  readonly targetContainerName?: string;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface GracefulProbe {
  readonly terminationGracePeriodSeconds?: number;
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: string;
}

export interface LifecycleHandler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGetAction;
  readonly sleep?: { readonly seconds: number };
  /** Part of the API, but kubelets do not run it. */
  readonly tcpSocket?: object;
}

export interface HttpGetAction {
  readonly path?: string;
  readonly port: number | string;
  readonly host?: string;
  readonly scheme?: 'HTTP' | 'HTTPS';
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export type ContainerList = 'containers' | 'initContainers' | 'ephemeralContainers';

export function runSpecOf(pod: Pod): RunPodSpec {
  return pod.spec;
}

export function podReferenceOf({ metadata }: Pod): PodReference {
  const { uid = '', name = '', namespace = '' } = metadata;
  return { uid, name, namespace };
}

export interface PlacedContainer {
  readonly list: ContainerList;
  readonly container: RunContainer;
}

/** The container of that name, and its field in the spec. */
export function findContainer(pod: Pod, name: string): PlacedContainer | undefined {
  const spec = runSpecOf(pod);
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    const container = spec[list]?.find((each) => each.name === name);
    if (container) return { list, container };
  }
  return undefined;
}

/** For Events, which name a container by its field in the spec. */
export function containerReferenceOf(pod: Pod, name: string): ContainerReference | PodReference {
  const placed = findContainer(pod, name);
  const reference = podReferenceOf(pod);
  return placed ? { ...reference, fieldPath: `spec.${placed.list}{${name}}` } : reference;
}

/** The name of a pod in messages. */
export function podTitle({ name, namespace, uid }: PodReference): string {
  return `${name}_${namespace}(${uid})`;
}
