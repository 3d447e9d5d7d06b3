/**
 * Builds the runtime's sandbox config from a pod's spec, defaults included.
 */
import type { Pod } from '../../../api/pod.ts';
import type {
  DnsConfig,
  HostPort,
  SandboxConfig,
  SandboxSecurity,
} from '../../../ports/runtime/sandbox-config.ts';
import { sandboxAnnotations, sandboxLabels } from '../../../core/pod/container-labels.ts';
import { groupsOf } from './container-security.ts';
import type { ContainerSettings } from './container-settings.ts';
import { sandboxResources } from './kernel-resources.ts';
import { podHostname } from '../../../core/pod/pod-hostname.ts';
import {
  podReferenceOf,
  runSpecOf,
  type ContainerPort,
  type RunPodSpec,
} from '../../../api/run-spec.ts';

export interface SandboxFrame {
  readonly attempt: number;
  readonly dns: DnsConfig;
  readonly logFolder: string;
  readonly cgroupParent: string;
  readonly clusterDomain: string;
  /** The handler of the pod's RuntimeClass; empty: the runtime's default. */
  readonly runtimeHandler: string;
  readonly containers?: ContainerSettings | undefined;
}

export function sandboxConfig(pod: Pod, frame: SandboxFrame): SandboxConfig {
  const spec = runSpecOf(pod);
  const { uid, name, namespace } = podReferenceOf(pod);
  const hostNetwork = spec.hostNetwork ?? false;
  return {
    podUid: uid,
    podName: name,
    namespace,
    attempt: frame.attempt,
    // A pod on the host network has the host's name.
    hostname: hostNetwork ? '' : podHostname(pod, frame.clusterDomain),
    logFolder: frame.logFolder,
    labels: sandboxLabels(pod),
    annotations: sandboxAnnotations(pod),
    dns: frame.dns,
    hostNetwork,
    hostPid: spec.hostPID ?? false,
    hostIpc: spec.hostIPC ?? false,
    ...(spec.hostUsers !== undefined && { hostUsers: spec.hostUsers }),
    sharesProcesses: spec.shareProcessNamespace ?? false,
    hostPorts: spec.containers.flatMap(({ ports = [] }) => ports.map(hostPort)),
    sysctls: sysctlsOf(spec.securityContext?.sysctls ?? []),
    cgroupParent: frame.cgroupParent,
    runtimeHandler: frame.runtimeHandler,
    security: sandboxSecurity(spec),
    ...sandboxResources(pod, frame.containers),
  };
}

/** The sandbox itself is always confined, so that pods may choose the strictest profiles. */
function sandboxSecurity(spec: RunPodSpec): SandboxSecurity {
  const { securityContext: context = {} } = spec;
  const { runAsUser, runAsGroup, supplementalGroupsPolicy, seLinuxOptions: seLinux } = context;
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  const all = [...initContainers, ...containers, ...ephemeralContainers];
  return {
    isPrivileged: all.some(({ securityContext }) => securityContext?.privileged ?? false),
    supplementalGroups: groupsOf(context, []),
    seccomp: 'runtime/default',
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
    ...(supplementalGroupsPolicy !== undefined && { supplementalGroupsPolicy }),
    ...(seLinux !== undefined && { seLinux }),
  };
}

/** Includes ports that the host does not open: a runtime without pod networks needs them. */
function hostPort(port: ContainerPort): HostPort {
  return {
    protocol: port.protocol ?? 'TCP',
    containerPort: port.containerPort,
    hostPort: port.hostPort ?? 0,
    hostIp: port.hostIP ?? '',
  };
}

/**
 * Both separators are in use; runtimes use the dot. If the first separator of a name is a slash, slashes
 * and dots are swapped.
 */
function sysctlsOf(sysctls: readonly { readonly name: string; readonly value: string }[]) {
  return Object.fromEntries(sysctls.map(({ name, value }) => [dotted(name), value]));
}

function dotted(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  if (first !== '/') return name;
  return name.replaceAll(/[./]/g, (each) => (each === '/' ? '.' : '/'));
}
