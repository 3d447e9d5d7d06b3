/**
 * Reads the current usage of the node, its pods and containers from the machine and the runtime. The summary
 * and the metrics are different formats of this usage.
 *
 *     machine ──┐
 *     runtime ──┼─> Usage ──> /stats/summary, /metrics/resource, /metrics/cadvisor
 *     folders ──┘
 *
 * As in Kubernetes' kubelet, a pod counts while it has a sandbox, and a container while it runs.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { parseTime } from '../../api/values/time.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type {
  ContainerStats,
  CpuStats,
  MemoryStats,
  SandboxStats,
} from '../../ports/runtime/stats.ts';
import type { ClassStats, GroupCounters, NodeCgroupStats } from '../cgroups/cgroup-stats.ts';
import { CpuRates, type RatedCpu } from './cpu-rates.ts';
import type { MachineUsage } from './machine-usage.ts';

export interface UsageReaderOptions {
  readonly runtime: Pick<PodRuntime, 'list' | 'containerStats' | 'sandboxStats'>;
  /** The desired pods, with their statuses. */
  pods(): readonly Pod[];
  machine(): Promise<MachineUsage>;
  /** Absent: pods have no control groups that podkeep manages. */
  readonly cgroups?: (() => Promise<NodeCgroupStats>) | undefined;
}

export interface Usage {
  readonly machine: MachineUsage;
  readonly cpu: RatedCpu;
  readonly pods: readonly PodUsage[];
  /** All pods together, and those of each QoS class. Empty: they have no control groups. */
  readonly classes: readonly ClassStats[];
}

export interface PodUsage extends GroupCounters {
  readonly pod: PodReference;
  readonly startedAtMs: number;
  readonly containers: readonly ContainerUsage[];
  readonly cpu?: RatedCpu;
  readonly memory?: MemoryStats;
  readonly sandbox?: SandboxStats;
}

export interface ContainerUsage extends GroupCounters {
  readonly container: RuntimeContainer;
  readonly startedAtMs: number;
  readonly cpu?: RatedCpu;
  readonly memory?: MemoryStats;
  readonly writableBytes?: number;
}

/** The key of the machine, which no pod and no container has. */
const MACHINE = '';
const NO_GROUPS: NodeCgroupStats = { classes: [], pods: new Map() };

export class UsageReader {
  readonly #options: UsageReaderOptions;
  readonly #rates = new CpuRates();

  constructor(options: UsageReaderOptions) {
    this.#options = options;
  }

  /** Rejects if the runtime does not answer. */
  async read(): Promise<Usage> {
    const { runtime } = this.#options;
    const [machine, entries, containerStats, sandboxStats, groups] = await Promise.all([
      this.#options.machine(),
      runtime.list(),
      runtime.containerStats?.() ?? [],
      runtime.sandboxStats?.() ?? [],
      this.#options.cgroups?.() ?? NO_GROUPS,
    ]);
    const containers = new Map(containerStats.map((stats) => [stats.id, stats]));
    const sandboxes = new Map(sandboxStats.map((stats) => [stats.podUid, stats]));
    const live = entries.filter(({ pod }) => pod.sandboxes[0]?.ready === true);
    const found = live.map((entry) => collect(entry, containers, sandboxes.get(entry.uid)));
    const rates = this.#rates.rate(samplesOf(machine, found));
    const startTimes = new Map(
      this.#options.pods().map(({ metadata, status }) => [metadata.uid, status?.startTime]),
    );
    return {
      machine,
      cpu: rates.get(MACHINE) ?? machine.cpu,
      pods: found.map((each) => {
        const startTime = startTimes.get(each.entry.uid) ?? null;
        const usage = podUsage(each, rates, startTime, machine.cpu.timeMs);
        return withCounters(usage, groups);
      }),
      classes: groups.classes,
    };
  }
}

interface Found {
  readonly entry: RuntimePodEntry;
  readonly containers: readonly { container: RuntimeContainer; stats?: ContainerStats }[];
  readonly sandbox: SandboxStats | undefined;
  readonly cpu: CpuStats | undefined;
  readonly memory: MemoryStats | undefined;
}

function collect(
  entry: RuntimePodEntry,
  stats: ReadonlyMap<string, ContainerStats>,
  sandbox: SandboxStats | undefined,
): Found {
  const running = entry.pod.containers.filter(({ state }) => state === 'running');
  const containers = running.map((container) => {
    const own = stats.get(container.id);
    return own ? { container, stats: own } : { container };
  });
  const all = containers.flatMap(({ stats: own }) => (own ? [own] : []));
  return {
    entry,
    containers,
    sandbox,
    cpu: sandbox?.cpu ?? sumOfCpu(all),
    memory: sandbox?.memory ?? sumOfMemory(all),
  };
}

/** If the runtime does not report the whole pod, its containers are added up. */
function sumOfCpu(parts: readonly ContainerStats[]): CpuStats | undefined {
  const known = parts.flatMap(({ cpu }) => (cpu ? [cpu] : []));
  if (known.length === 0) return undefined;
  return {
    timeMs: Math.max(...known.map(({ timeMs }) => timeMs)),
    usageNanoseconds: known.reduce((sum, { usageNanoseconds }) => sum + usageNanoseconds, 0n),
  };
}

function sumOfMemory(parts: readonly ContainerStats[]): MemoryStats | undefined {
  const known = parts.flatMap(({ memory }) => (memory ? [memory] : []));
  if (known.length === 0) return undefined;
  return {
    timeMs: Math.max(...known.map(({ timeMs }) => timeMs)),
    workingSetBytes: known.reduce((sum, { workingSetBytes }) => sum + workingSetBytes, 0),
  };
}

function samplesOf(machine: MachineUsage, found: readonly Found[]): Map<string, CpuStats> {
  const samples = new Map([[MACHINE, machine.cpu]]);
  for (const { entry, containers, cpu } of found) {
    if (cpu) samples.set(`pod ${entry.uid}`, cpu);
    for (const { stats } of containers) {
      if (stats?.cpu) samples.set(`container ${stats.id}`, stats.cpu);
    }
  }
  return samples;
}

function podUsage(
  { entry, containers, sandbox, memory }: Found,
  rates: ReadonlyMap<string, RatedCpu>,
  startTime: string | null,
  atMs: number,
): PodUsage {
  const { uid, name, namespace } = entry;
  const cpu = rates.get(`pod ${uid}`);
  const created = entry.pod.containers.map(({ createdAt }) => parseTime(createdAt).ms);
  return {
    pod: { uid, name, namespace },
    startedAtMs: startTime === null ? Math.min(...created, atMs) : parseTime(startTime).ms,
    containers: containers.map(({ container, stats }) => containerUsage(container, stats, rates)),
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(sandbox && { sandbox }),
  };
}

function containerUsage(
  container: RuntimeContainer,
  stats: ContainerStats | undefined,
  rates: ReadonlyMap<string, RatedCpu>,
): ContainerUsage {
  const cpu = rates.get(`container ${container.id}`);
  const { memory, writableBytes, throttling, io } = stats ?? {};
  const { ms, nanos } = parseTime(container.startedAt ?? container.createdAt);
  return {
    container,
    startedAtMs: ms + nanos / 1_000_000,
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(writableBytes !== undefined && { writableBytes }),
    ...(throttling && { throttling }),
    ...(io && { io }),
  };
}

/** Adds the counters of the pod's cgroups that the runtime does not report. */
function withCounters(usage: PodUsage, { pods }: NodeCgroupStats): PodUsage {
  const group = pods.get(usage.pod.uid);
  if (!group) return usage;
  const { containers: groups, ...whole } = group;
  return {
    ...whole,
    ...usage,
    containers: usage.containers.map((each) => {
      const id = each.container.id.slice(each.container.id.indexOf('://') + 3);
      const own = [...groups].find(([name]) => id !== '' && name.includes(id))?.[1];
      return { ...own, ...each };
    }),
  };
}
