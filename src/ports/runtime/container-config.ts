/** The configuration of a container, with everything that the spec left open resolved. */
import type { SeLinuxLabel, SupplementalGroupsPolicy } from '../../api/run-spec.ts';

export type { SeLinuxLabel, SupplementalGroupsPolicy };

export interface ContainerConfig {
  readonly name: string;
  /** How many containers of this name the pod had before this one. */
  readonly attempt: number;
  /** As the spec names it. */
  readonly image: string;
  /** The reference that the image store resolved that name to. */
  readonly imageRef: string;
  /** Empty: the image's. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  /** In order; if a name occurs twice, the last value counts. */
  readonly env: readonly EnvironmentVariable[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly string[];
  /** Relative to the sandbox's log folder. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: ContainerResources;
  readonly security: ContainerSecurity;
  /** Such as SIGTERM. Empty: the image's, or the runtime's default. */
  readonly stopSignal: string;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

export interface Mount {
  readonly containerPath: string;
  /** Empty: an image is mounted. */
  readonly hostPath: string;
  readonly isReadOnly: boolean;
  readonly isRecursiveReadOnly: boolean;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
  /** It is a hostPath of the machine, not a volume that podkeep made. */
  readonly isHostPath?: boolean;
  /** `hostPath` is inside this volume, and must not lead out of it. Absent: that is ensured already. */
  readonly volumePath?: string;
  /** The files of this image are mounted, by the reference that its pull gave. */
  readonly imageRef?: string;
  /** A folder of that image. Absent: all of it. */
  readonly imageSubPath?: string;
}

/** In the kernel's units. Absent: not limited, or left to the runtime. */
export interface ContainerResources {
  readonly cpuShares?: number;
  /** Microseconds in each period of `cpuPeriod`. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
  /** Memory and swap together. */
  readonly memorySwapLimitBytes?: number;
  readonly oomScoreAdjust?: number;
  /** For every page size of the machine. */
  readonly hugePages?: readonly HugePageLimit[];
  /** Files of a cgroup of version 2 and what to write into them. */
  readonly unified?: Readonly<Record<string, string>>;
}

export interface HugePageLimit {
  /** As the kernel's files name it, such as 2MB. */
  readonly pageSize: string;
  readonly limitBytes: number;
}

export interface ContainerSecurity {
  readonly isPrivileged: boolean;
  readonly isReadOnlyRoot: boolean;
  readonly noNewPrivileges: boolean;
  readonly addedCapabilities: readonly string[];
  readonly droppedCapabilities: readonly string[];
  /** Absent: the image's user, or the runtime's default. */
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** Whether the image's groups of its user count too. Absent: they do. */
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  /** `unconfined`, `runtime/default`, or `localhost/` and the path of a file on the host. */
  readonly seccomp?: string;
  /** `unconfined`, `runtime/default`, or `localhost/` and the name of a loaded profile. */
  readonly appArmor?: string;
  readonly seLinux?: SeLinuxLabel;
  /** Hidden and read-only paths in /proc and /sys. Absent: the defaults of the runtime. */
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  /** The container of the same pod whose processes this (ephemeral) container sees. */
  readonly targetContainerId?: string;
}
