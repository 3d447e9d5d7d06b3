/**
 * Reads usage from cgroups that no container runtime reports: CPU throttling and block I/O of pods and
 * containers, and the totals of the QoS classes.
 *
 *     kubepods              all pods: CPU, memory, throttling, I/O
 *     kubepods/burstable    of one QoS class
 *     kubepods/…/podUID     one pod: throttling, I/O
 *     kubepods/…/podUID/ID  one container: throttling, I/O
 *
 * Values that the kernel does not count are absent, and so are cgroups that are removed meanwhile.
 */
import { qosCgroup, type CgroupName } from '../../core/cgroups/cgroup-name.ts';
import {
  BLKIO_FILES,
  parseBlkio,
  parseIoStat,
  parseThrottling,
  type CpuThrottling,
  type DeviceIo,
} from '../../lib/cgroups/cgroup-counters.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CpuStats, MemoryStats } from '../../ports/runtime/stats.ts';
import type { CgroupTree } from './cgroup-tree.ts';

export interface GroupCounters {
  readonly throttling?: CpuThrottling;
  readonly io?: readonly DeviceIo[];
}

export interface PodGroupStats extends GroupCounters {
  /** By the name of their control group, which contains the ID. */
  readonly containers: ReadonlyMap<string, GroupCounters>;
}

/** All pods, or those of one QoS class. */
export interface ClassStats extends GroupCounters {
  /** Of the control group. */
  readonly path: string;
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
}

export interface NodeCgroupStats {
  readonly classes: readonly ClassStats[];
  /** By UID. */
  readonly pods: ReadonlyMap<string, PodGroupStats>;
}

export interface CgroupStatsParts {
  readonly tree: Pick<CgroupTree, 'read' | 'children' | 'pathOf'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The cgroup of all pods. */
  readonly root: CgroupName;
  /** Those of pods, by UID. */
  readonly pods: ReadonlyMap<string, CgroupName>;
}

/** Reads a file of a group: its content, or an empty text. */
type ReadFile = (controller: string, ...files: readonly string[]) => Promise<string>;

export async function readCgroupStats(parts: CgroupStatsParts): Promise<NodeCgroupStats> {
  const { tree, root } = parts;
  const names = [root, qosCgroup(root, 'Burstable'), qosCgroup(root, 'BestEffort')];
  const classes = await Promise.all(names.map((name) => classStats(parts, name)));
  const pods = new Map<string, PodGroupStats>();
  // One pod after another: a node with many pods must not open all their files at once.
  for (const [uid, name] of parts.pods) {
    const containers = new Map<string, GroupCounters>();
    for (const child of await tree.children(name)) {
      containers.set(child, await counters(readerOf(tree, name, child)));
    }
    pods.set(uid, { ...(await counters(readerOf(tree, name))), containers });
  }
  return { classes, pods };
}

async function classStats(
  { tree, clock }: CgroupStatsParts,
  name: CgroupName,
): Promise<ClassStats> {
  const read = readerOf(tree, name);
  const timeMs = clock.now();
  const cpu = await cpuNanoseconds(read);
  const memory = await memoryStats(read, timeMs);
  return {
    path: tree.pathOf(name),
    ...(cpu !== null && { cpu: { timeMs, usageNanoseconds: cpu } }),
    ...(memory && { memory }),
    ...(await counters(read)),
  };
}

async function counters(read: ReadFile): Promise<GroupCounters> {
  const stat = await read('cpu', 'cpu.stat');
  const throttling = parseThrottling(stat, await read('cpu', 'cpu.max', 'cpu.cfs_quota_us'));
  // In version 2 all controllers are in one folder.
  let io = parseIoStat(await read('cpu', 'io.stat'));
  // The file of an I/O scheduler that is not in use exists, but lists no device.
  for (const file of BLKIO_FILES) if (io.length === 0) io = parseBlkio(await read('blkio', file));
  return { ...(throttling && { throttling }), ...(io.length > 0 && { io }) };
}

async function cpuNanoseconds(read: ReadFile): Promise<bigint | null> {
  const microseconds = /^usage_usec (\d+)$/m.exec(await read('cpu', 'cpu.stat'))?.[1];
  if (microseconds !== undefined) return BigInt(microseconds) * 1000n;
  const nanoseconds = await read('cpuacct', 'cpuacct.usage');
  return /^\d+$/.test(nanoseconds) ? BigInt(nanoseconds) : null;
}

async function memoryStats(read: ReadFile, timeMs: number): Promise<MemoryStats | null> {
  const used = await read('memory', 'memory.current', 'memory.usage_in_bytes');
  if (!/^\d+$/.test(used)) return null;
  const stat = await read('memory', 'memory.stat');
  const field = (...names: readonly string[]): number | null => {
    const found = names.flatMap(
      (name) => new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? [],
    );
    return found[0] === undefined ? null : Number(found[0]);
  };
  // The inactive page cache, which the kernel reclaims first, is not part of the working set.
  const inactive = field('total_inactive_file', 'inactive_file') ?? 0;
  const residentBytes = field('total_rss', 'anon');
  const usageBytes = Number(used);
  return {
    timeMs,
    usageBytes,
    workingSetBytes: Math.max(usageBytes - inactive, 0),
    ...(residentBytes !== null && { residentBytes }),
  };
}

/** Of a group, or of one below it. */
function readerOf(tree: Pick<CgroupTree, 'read'>, name: CgroupName, child?: string): ReadFile {
  return async (controller, ...files) => {
    for (const file of files) {
      const text = await tree.read(name, { controller, file }, child);
      if (text !== null && text !== '') return text;
    }
    return '';
  };
}
