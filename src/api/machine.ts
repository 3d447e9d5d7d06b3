/** What a machine is and what is left of it, in the words that a Node uses. */

/** What changes seldom. Text that the machine does not tell is empty. */
export interface MachineInfo {
  readonly hostname: string;
  readonly machineID: string;
  readonly systemUUID: string;
  /** Another one after every boot. */
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
  /** By which others reach it, the best first. None of them is a loopback address. */
  readonly addresses: readonly string[];
}

/** The pages of one size that the kernel has set aside. */
export interface HugePages {
  readonly pageBytes: number;
  readonly count: number;
}

/** How much there is of something, and how much of it is free. */
export interface Room {
  readonly capacity: number;
  readonly available: number;
}

/** Null: the system does not tell. */
export interface MachineUsage {
  /** Bytes of memory. */
  readonly memory: Room | null;
  /** Processes and threads. */
  readonly pids: Room | null;
}

export interface FileSystemRoom {
  readonly bytes: Room;
  readonly inodes: Room;
}
