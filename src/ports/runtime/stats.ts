/** What containers and pods use. Absent: the runtime cannot tell. */

export interface ContainerStats {
  readonly id: string;
  readonly name: string;
  readonly podUid: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  /** What it has written into its own file system. */
  readonly writableBytes?: number;
}

export interface SandboxStats {
  readonly podUid: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly network?: NetworkStats;
  readonly processes?: number;
}

export interface CpuStats {
  /** Wall time of the sample. */
  readonly timeMs: number;
  /** Since the start. */
  readonly usageNanoseconds: bigint;
}

export interface MemoryStats {
  readonly timeMs: number;
  readonly workingSetBytes: number;
  readonly residentBytes?: number;
  readonly usageBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
}

export interface NetworkStats {
  readonly timeMs: number;
  readonly interfaceName: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly receiveErrors: number;
  readonly sendErrors: number;
}
