/** The configuration of a pod's sandbox: identity, network and what the pod's containers share. */
import type {
  ContainerResources,
  SeLinuxLabel,
  SupplementalGroupsPolicy,
} from './container-config.ts';

export interface SandboxConfig {
  readonly podUid: string;
  readonly podName: string;
  readonly namespace: string;
  /** How many sandboxes the pod had before this one. */
  readonly attempt: number;
  readonly hostname: string;
  /** The folder of its containers' logs, on the host. */
  readonly logFolder: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dns: DnsConfig;
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly hostIpc: boolean;
  /** Whether it uses the host's user namespace. Absent: the runtime chooses. */
  readonly hostUsers?: boolean;
  /** Its containers see each other's processes. */
  readonly sharesProcesses: boolean;
  readonly hostPorts: readonly HostPort[];
  readonly sysctls: Readonly<Record<string, string>>;
  /** Empty: the runtime chooses, or there are none. */
  readonly cgroupParent: string;
  readonly runtimeHandler: string;
  /** Absent: the runtime's defaults. */
  readonly security?: SandboxSecurity;
  /** The resources of all containers together, and the overhead of the sandbox itself. */
  readonly resources?: ContainerResources;
  readonly overhead?: ContainerResources;
}

/** The security context of the sandbox itself. Containers have theirs. */
export interface SandboxSecurity {
  /** One of its containers is privileged. */
  readonly isPrivileged: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  readonly seLinux?: SeLinuxLabel;
  /** As for containers. */
  readonly seccomp: string;
}

export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface HostPort {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  /** Zero: the host opens none. */
  readonly hostPort: number;
  readonly hostIp: string;
}
