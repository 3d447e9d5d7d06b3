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
  readonly hostPath: string;
  readonly isReadOnly: boolean;
  readonly isRecursiveReadOnly: boolean;
  readonly propagation: 'None' | 'HostToContainer' | 'Bidirectional';
}

/** In the kernel's units. Absent: not limited, or left to the runtime. */
export interface ContainerResources {
  readonly cpuShares?: number;
  /** Microseconds in each period of `cpuPeriod`. */
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memoryLimitBytes?: number;
  readonly oomScoreAdjust?: number;
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
  /** `unconfined`, `runtime/default` or `localhost/…`. */
  readonly seccomp?: string;
  readonly appArmor?: string;
  /** It sees the processes of this container of its pod (a debugging container). */
  readonly targetContainerId?: string;
}
