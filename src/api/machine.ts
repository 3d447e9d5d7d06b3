/** A machine and its free resources, in the terms of a Node. */

/** What rarely changes. Texts that the machine does not provide are empty. */
export interface MachineInfo {
  readonly hostname: string;
  readonly machineID: string;
  readonly systemUUID: string;
  /** Changes with every boot. */
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** As Go names them: `linux`, `darwin`. */
  readonly operatingSystem: string;
  /** As Go names them: `amd64`, `arm64`. */
  readonly architecture: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly hugePages: readonly HugePages[];
  /** The addresses by which other machines reach it, the best first. None is a loopback address. */
  readonly addresses: readonly string[];
}

/** The pages of one size that the kernel has set aside. */
export interface HugePages {
  readonly pageBytes: number;
  readonly count: number;
}

/** How much there is of something, and how much of it is free. */
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
