/** Reads the resource usage of containers and pods from the runtime. */
import type {
  ContainerStats,
  CpuStats,
  MemoryStats,
  NetworkStats,
  SandboxStats,
} from '../../ports/runtime/stats.ts';
import { fullId } from './container-id.ts';
import { hasCode } from './errors.ts';
import { CONTAINER_NAME, POD_UID } from './labels.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import type { Sent } from './messages/message.ts';
import type {
  ContainerStatsMessage,
  CpuUsage,
  MemoryUsage,
  NetworkUsage,
  PodSandboxStatsMessage,
} from './messages/stats-messages.ts';
import { msOf } from './views/time-view.ts';
import type { CriService } from './wire/cri-service.ts';

export class CriStats {
  readonly #service: CriService;
  readonly #runtimeName: string;

  constructor(service: CriService, runtimeName: string) {
    this.#service = service;
    this.#runtimeName = runtimeName;
  }

  async containers(): Promise<readonly ContainerStats[]> {
    const { stats } = await this.#service.ask(RUNTIME_CALLS.listContainerStats, {});
    return stats.flatMap((each) => this.#container(each));
  }

  /**
   * Adds up the usage of a sandbox's containers if the runtime reports none by sandbox. containerd 1.6
   * refuses the whole list while one ended sandbox has lost its control group.
   */
  async sandboxes(): Promise<readonly SandboxStats[]> {
    try {
      const { stats } = await this.#service.ask(RUNTIME_CALLS.listPodSandboxStats, {});
      return stats.flatMap(sandboxOf);
    } catch (error) {
      const isRefused = hasCode(error, 'RUNTIME_REFUSED');
      if (!isRefused && !hasCode(error, 'RUNTIME_CALL_UNSUPPORTED')) throw error;
      return addedUp(await this.containers());
    }
  }

  #container(stats: Sent<typeof ContainerStatsMessage>): readonly ContainerStats[] {
    const { attributes, cpu, memory, writableLayer } = stats;
    const podUid = attributes?.labels[POD_UID];
    if (!attributes || podUid === undefined) return [];
    const { usedBytes: written, inodesUsed: inodes } = writableLayer ?? {};
    return [
      {
        id: fullId(this.#runtimeName, attributes.id),
        name: attributes.labels[CONTAINER_NAME] ?? attributes.metadata?.name ?? '',
        podUid,
        ...cpuOf(cpu),
        ...memoryOf(memory),
        ...(written && { writableBytes: Number(written.value) }),
        ...(inodes && { writableInodes: Number(inodes.value) }),
      },
    ];
  }
}

function sandboxOf(stats: Sent<typeof PodSandboxStatsMessage>): readonly SandboxStats[] {
  const { attributes, linux } = stats;
  const podUid = attributes?.labels[POD_UID] ?? attributes?.metadata?.uid;
  if (podUid === undefined) return [];
  const processes = linux?.process?.processCount;
  return [
    {
      podUid,
      ...cpuOf(linux?.cpu),
      ...memoryOf(linux?.memory),
      ...networkOf(linux?.network),
      ...(processes && { processes: Number(processes.value) }),
    },
  ];
}

/** Empty: the container has ended, or has just started, and has no usage. */
function cpuOf(cpu: Sent<typeof CpuUsage> | undefined): { readonly cpu?: CpuStats } {
  const used = cpu?.usageCoreNanoSeconds;
  if (!used) return {};
  return { cpu: { timeMs: msOf(cpu.timestamp), usageNanoseconds: used.value } };
}

function memoryOf(memory: Sent<typeof MemoryUsage> | undefined): { readonly memory?: MemoryStats } {
  const set = memory?.workingSetBytes;
  if (!set) return {};
  const { rssBytes, usageBytes, pageFaults, majorPageFaults } = memory;
  return {
    memory: {
      timeMs: msOf(memory.timestamp),
      workingSetBytes: Number(set.value),
      ...(rssBytes && { residentBytes: Number(rssBytes.value) }),
      ...(usageBytes && { usageBytes: Number(usageBytes.value) }),
      ...(pageFaults && { pageFaults: Number(pageFaults.value) }),
      ...(majorPageFaults && { majorPageFaults: Number(majorPageFaults.value) }),
    },
  };
}

function networkOf(network: Sent<typeof NetworkUsage> | undefined): {
  readonly network?: NetworkStats;
} {
  const face = network?.defaultInterface;
  if (!face) return {};
  const count = (value: { readonly value: bigint } | undefined): number =>
    Number(value?.value ?? 0n);
  return {
    network: {
      timeMs: msOf(network.timestamp),
      interfaceName: face.name,
      receivedBytes: count(face.rxBytes),
      sentBytes: count(face.txBytes),
      receiveErrors: count(face.rxErrors),
      sendErrors: count(face.txErrors),
    },
  };
}

function addedUp(containers: readonly ContainerStats[]): readonly SandboxStats[] {
  const pods = new Map<string, SandboxStats>();
  for (const { podUid, cpu, memory } of containers) {
    const before = pods.get(podUid) ?? { podUid };
    pods.set(podUid, {
      podUid,
      ...(cpu && { cpu: sumOfCpu(before.cpu, cpu) }),
      ...(memory && { memory: sumOfMemory(before.memory, memory) }),
    });
  }
  return [...pods.values()];
}

function sumOfCpu(a: CpuStats | undefined, b: CpuStats): CpuStats {
  return { ...b, usageNanoseconds: (a?.usageNanoseconds ?? 0n) + b.usageNanoseconds };
}

function sumOfMemory(a: MemoryStats | undefined, b: MemoryStats): MemoryStats {
  return { timeMs: b.timeMs, workingSetBytes: (a?.workingSetBytes ?? 0) + b.workingSetBytes };
}
