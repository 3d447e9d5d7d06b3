/** The frame in which the containers of one pod run: identity, network and what they share. */
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
  /** Where the logs of its containers go, on the host. */
  readonly logFolder: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dns: DnsConfig;
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly hostIpc: boolean;
  /** Whether its users are the machine's; absent: the runtime chooses. */
  readonly hostUsers?: boolean;
  /** Its containers see each other's processes. */
  readonly sharesProcesses: boolean;
  readonly hostPorts: readonly HostPort[];
  readonly sysctls: Readonly<Record<string, string>>;
  /** Empty: the runtime chooses, or there are none. */
  readonly cgroupParent: string;
  readonly runtimeHandler: string;
  /** Absent: the runtime's own. */
  readonly security?: SandboxSecurity;
  /** What all containers together may use, and what the sandbox itself needs besides. */
  readonly resources?: ContainerResources;
  readonly overhead?: ContainerResources;
}

/** As whom the sandbox itself runs. What its containers may do is said for each of them. */
export interface SandboxSecurity {
  /** One of its containers is. */
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
  readonly hostPort: number;
  readonly hostIp: string;
}
