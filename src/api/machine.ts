/** Describes a machine and its free resources, in the terms of a Node's status. */

/** Facts that rarely change. A text that the machine does not provide is empty. */
export interface MachineInfo {
  readonly hostname: string;
  readonly machineID: string;
  readonly systemUUID: string;
  /** Changes with every boot. */
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** Go's name for it: `linux`, `darwin`. */
  readonly operatingSystem: string;
  /** Go's name for it: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly hugePages: readonly HugePages[];
  /** The addresses by which other machines reach it, the best first. None is a loopback address. */
  readonly addresses: readonly string[];
}

/** The huge pages of one size that the kernel has reserved. */
export interface HugePages {
  readonly pageBytes: number;
  readonly count: number;
}

/** The total amount of a resource, and how much of it is free. */
export interface Capacity {
  readonly capacity: number;
  readonly available: number;
}

/** Null: the system does not provide it. */
export interface MachineUsage {
  /** Bytes of memory. */
  readonly memory: Capacity | null;
  /** Processes and threads. */
  readonly pids: Capacity | null;
}

export interface FileSystemSpace {
  readonly bytes: Capacity;
  readonly inodes: Capacity;
}
