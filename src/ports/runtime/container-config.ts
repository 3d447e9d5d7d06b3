/** A container as it is to run: everything that the spec left open is decided. */

export interface ContainerConfig {
  readonly name: string;
  /** How many containers of this name the pod had before this one. */
  readonly attempt: number;
  /** As the spec names it. */
  readonly image: string;
  /** What the image store made of that name. */
  readonly imageRef: string;
  /** Empty: the image's own. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  /** In order; of two with one name the last counts. */
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
  /** Such as SIGTERM; empty: the image's, or the runtime's own. */
  readonly stopSignal: string;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

export interface Mount {
  readonly containerPath: string;
  /** Empty: what is mounted is an image. */
  readonly hostPath: string;
  readonly isReadOnly: boolean;
  readonly isRecursiveReadOnly: boolean;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
  /** It is a path of the machine that the pod named, not a volume that podkeep made. */
  readonly isHostPath?: boolean;
  /** `hostPath` is a part of this volume, and must not lead out of it; absent: that is ensured already. */
  readonly volumePath?: string;
  /** The files of this image are mounted, by the reference that its pull gave. */
  readonly imageRef?: string;
  /** A folder of that image; absent: all of it. */
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
  /** Absent: the image's user, or the runtime's own choice. */
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly supplementalGroups: readonly number[];
  /** Whether groups that the image names for its user count too; absent: they do. */
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
  /** `unconfined`, `runtime/default`, or `localhost/` and the path of a file on the host. */
  readonly seccomp?: string;
  /** `unconfined`, `runtime/default`, or `localhost/` and the name of a loaded profile. */
  readonly appArmor?: string;
  readonly seLinux?: SeLinuxLabel;
  /** What of /proc and /sys is hidden, and what may only be read. Absent: the runtime's own. */
  readonly maskedPaths?: readonly string[];
  readonly readonlyPaths?: readonly string[];
  /** It sees the processes of this container of its pod (a debugging container). */
  readonly targetContainerId?: string;
}

export type SupplementalGroupsPolicy = 'Merge' | 'Strict';

export interface SeLinuxLabel {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}
