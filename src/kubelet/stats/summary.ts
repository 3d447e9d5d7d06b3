/**
 * Builds /stats/summary: the usage of the node and its pods, in the JSON format of Kubernetes' kubelet
 * (stats/v1alpha1).
 *
 * A request for CPU and memory only, such as from metrics-server, does not count folders. Unknown values are
 * omitted, never zero.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { MemoryStats, NetworkStats } from '../../ports/runtime/stats.ts';
import type { RatedCpu } from './cpu-rates.ts';
import type { FolderUsage } from './folder-usage.ts';
import type { FileSystemUsage } from './machine-usage.ts';
import type { StorageUsage, VolumeUsage } from './storage-usage.ts';
import type { ContainerUsage, PodUsage, Usage } from './usage-reader.ts';

export interface SummaryRequest {
  readonly nodeName: string;
  readonly usage: Usage;
  /** Null: CPU and memory only. */
  readonly storage: StorageUsage | null;
}

export async function summaryOf({ nodeName, usage, storage }: SummaryRequest): Promise<JsonObject> {
  const node = storage && (await storage.node());
  const [images, pods] = await Promise.all([
    storage?.images() ?? null,
    Promise.all(usage.pods.map((pod) => podJson(pod, storage, node))),
  ]);
  return {
    node: { ...nodeJson(nodeName, usage), ...(storage && nodeDetails(usage, node, images)) },
    pods,
  };
}

function nodeJson(nodeName: string, { machine, cpu }: Usage): JsonObject {
  const { memory, swap, startedAtMs } = machine;
  return {
    nodeName,
    startTime: formatTime(startedAtMs),
    cpu: cpuJson(cpu),
    memory: {
      ...memoryJson(memory),
      availableBytes: Math.max(memory.totalBytes - memory.workingSetBytes, 0),
    },
    ...(swap && {
      swap: {
        time: formatTime(memory.timeMs),
        swapAvailableBytes: swap.availableBytes,
        swapUsageBytes: swap.usedBytes,
      },
    }),
  };
}

function nodeDetails(
  { machine: { networks, processes, cpu } }: Usage,
  node: FileSystemUsage | null,
  images: FileSystemUsage | null,
): JsonObject {
  const [first] = networks;
  const time = formatTime(cpu.timeMs);
  return {
    ...(first && { network: networkJson(first, networks) }),
    ...(node && { fs: { time, ...node } }),
    ...(images && { runtime: { imageFs: { time, ...images } } }),
    ...(processes && { rlimit: { time, maxpid: processes.max, curproc: processes.running } }),
  };
}

async function podJson(
  usage: PodUsage,
  storage: StorageUsage | null,
  node: FileSystemUsage | null,
): Promise<JsonObject> {
  const { pod, startedAtMs, cpu, memory, sandbox, containers } = usage;
  const parts = await Promise.all(containers.map((each) => partOf(usage, each, storage)));
  const volumes = (await storage?.volumes(pod.uid)) ?? [];
  const network = storage && sandbox?.network;
  const processes = storage && sandbox?.processes;
  return {
    podRef: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
    startTime: formatTime(startedAtMs),
    containers: parts.map((part) => containerJson(part, node)),
    ...(cpu && { cpu: cpuJson(cpu) }),
    ...(memory && { memory: memoryJson(memory) }),
    ...(network && { network: networkJson(network, [network]) }),
    ...(volumes.length > 0 && { volume: volumes.map(volumeJson) }),
    ...(node && { 'ephemeral-storage': ephemeralJson(parts, volumes, node) }),
    ...(typeof processes === 'number' && { process_stats: { process_count: processes } }),
  };
}

interface Part {
  readonly usage: ContainerUsage;
  readonly logs: FolderUsage | null;
}

async function partOf(
  { pod }: PodUsage,
  usage: ContainerUsage,
  storage: StorageUsage | null,
): Promise<Part> {
  return { usage, logs: (await storage?.logs(pod, usage.container.name)) ?? null };
}

function containerJson({ usage, logs }: Part, node: FileSystemUsage | null): JsonObject {
  const { container, startedAtMs, cpu, memory, writableBytes } = usage;
  const space = node && spaceJson(node);
  const rootTimeMs = memory?.timeMs ?? cpu?.timeMs ?? startedAtMs;
  return {
    name: container.name,
    startTime: formatTime(startedAtMs),
    ...(cpu && { cpu: cpuJson(cpu) }),
    ...(memory && { memory: memoryJson(memory) }),
    ...(space &&
      writableBytes !== undefined && {
        rootfs: { time: formatTime(rootTimeMs), ...space, usedBytes: writableBytes },
      }),
    ...(space && logs && { logs: { ...space, ...folderJson(logs) } }),
  };
}

function volumeJson({ name, folder, fileSystem }: VolumeUsage): JsonObject {
  return { ...(fileSystem && spaceJson(fileSystem)), ...folderJson(folder), name };
}

/** The pod's usage of the node's own disk. */
function ephemeralJson(
  parts: readonly Part[],
  volumes: readonly VolumeUsage[],
  node: FileSystemUsage,
): JsonObject {
  const counted = [
    ...parts.flatMap(({ logs }) => (logs ? [logs] : [])),
    // A volume on another file system, such as tmpfs, uses nothing of the disk.
    ...volumes.flatMap((volume) => (isOnDisk(volume, node) ? [volume.folder] : [])),
  ];
  const written = parts.reduce((sum, { usage }) => sum + (usage.writableBytes ?? 0), 0);
  const newest = Math.max(0, ...counted.map(({ timeMs }) => timeMs));
  return {
    ...spaceJson(node),
    time: formatTime(newest),
    usedBytes: counted.reduce((sum, { usedBytes }) => sum + usedBytes, written),
    inodesUsed: counted.reduce((sum, { inodesUsed }) => sum + inodesUsed, 0),
  };
}

function isOnDisk({ isEmptyDir, fileSystem }: VolumeUsage, node: FileSystemUsage): boolean {
  return isEmptyDir && fileSystem?.capacityBytes === node.capacityBytes;
}

/** The capacity of the file system, for all its users. */
function spaceJson({ availableBytes, capacityBytes, inodesFree, inodes }: FileSystemUsage) {
  return { availableBytes, capacityBytes, inodesFree, inodes };
}

function folderJson({ timeMs, usedBytes, inodesUsed }: FolderUsage): JsonObject {
  return { time: formatTime(timeMs), usedBytes, inodesUsed };
}

function cpuJson({ timeMs, usageNanoseconds, nanoCores }: RatedCpu): JsonObject {
  return {
    time: formatTime(timeMs),
    ...(nanoCores !== undefined && { usageNanoCores: nanoCores }),
    usageCoreNanoSeconds: Number(usageNanoseconds),
  };
}

function memoryJson(memory: MemoryStats): JsonObject {
  const { timeMs, usageBytes, workingSetBytes, residentBytes } = memory;
  const { pageFaults, majorPageFaults } = memory;
  return {
    time: formatTime(timeMs),
    ...(usageBytes !== undefined && { usageBytes }),
    workingSetBytes,
    ...(residentBytes !== undefined && { rssBytes: residentBytes }),
    ...(pageFaults !== undefined && { pageFaults }),
    ...(majorPageFaults !== undefined && { majorPageFaults }),
  };
}

function networkJson(first: NetworkStats, all: readonly NetworkStats[]): JsonObject {
  return {
    time: formatTime(first.timeMs),
    ...interfaceJson(first),
    interfaces: all.map(interfaceJson),
  };
}

function interfaceJson(network: NetworkStats): JsonObject {
  const { interfaceName, receivedBytes, receiveErrors, sentBytes, sendErrors } = network;
  return {
    name: interfaceName,
    rxBytes: receivedBytes,
    rxErrors: receiveErrors,
    txBytes: sentBytes,
    txErrors: sendErrors,
  };
}
