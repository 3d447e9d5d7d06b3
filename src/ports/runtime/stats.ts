/**
 * The resource usage of containers and pods as the runtime reports it. Absent fields: the runtime does not
 * report them.
 */
import type { CpuThrottling, DeviceIo } from '../../lib/cgroups/cgroup-counters.ts';

export interface ContainerStats {
  readonly id: string;
  readonly name: string;
  readonly podUid: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  /** The bytes in the container's writable layer. */
  readonly writableBytes?: number;
  readonly writableInodes?: number;
  /** Absent: the container has no CPU quota, or the kernel does not count it. */
  readonly throttling?: CpuThrottling;
  readonly io?: readonly DeviceIo[];
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
  /** The CPU time that was used since the start. */
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
