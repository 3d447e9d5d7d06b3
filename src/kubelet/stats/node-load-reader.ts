/** Reads the load and saturation of this node, from the same sources as /stats/summary. */
import { nodeLoadOf, type NodeLoad } from '../../core/node/node-load.ts';
import type { FileSystemUsage, MachineUsage } from './machine-usage.ts';
import type { StorageUsage } from './storage-usage.ts';
import type { Usage, UsageReader } from './usage-reader.ts';

export interface LoadSources {
  readonly usage: Pick<UsageReader, 'read'>;
  readonly storage: Pick<StorageUsage, 'node'>;
}

/** The file system of the node's own files. Null: it cannot be read. */
export interface NodeFileSystem {
  readonly disk: () => Promise<FileSystemUsage | null>;
}

/** The load of this node now. Rejects if the runtime does not answer. */
export async function readNodeLoad({ usage, storage }: LoadSources): Promise<NodeLoad> {
  return nodeLoadIn(await usage.read(), { disk: () => storage.node() });
}

/** The load at the time of a reading. */
export async function nodeLoadIn(
  { machine, cpu }: Usage,
  { disk: read }: NodeFileSystem,
): Promise<NodeLoad> {
  const disk = await read();
  const { memory, processes, pressure } = machine;
  return nodeLoadOf({
    ...(cpu.nanoCores !== undefined && { cpu: cpuOf(cpu.nanoCores, machine) }),
    memory: { used: memory.workingSetBytes, capacity: memory.totalBytes },
    ...(disk && {
      disk: { used: disk.usedBytes, capacity: disk.capacityBytes },
      inodes: { used: disk.inodesUsed, capacity: disk.inodes },
    }),
    ...(processes && { pids: { used: processes.running, capacity: processes.max } }),
    ...(pressure && { pressure }),
  });
}

function cpuOf(nanoCores: number, { cores }: MachineUsage) {
  return { used: nanoCores / 1e9, capacity: cores };
}
