/**
 * Builds the answer of /podkeep/v1/resources: the resource usage of the node, its pods and its containers, as
 * numbers with units in their names. Unknown values are absent, never zero.
 */
import type { Pod } from '../../api/pod.ts';
import type { NodeLoad } from '../../core/node/node-load.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { MemoryStats } from '../../ports/runtime/stats.ts';
import type { RatedCpu } from '../stats/cpu-rates.ts';
import type { ContainerUsage, PodUsage, Usage } from '../stats/usage-reader.ts';
import { podJsonOf, timeOf } from './decision-json.ts';

const NANOCORES_PER_CORE = 1e9;
const NANOSECONDS_PER_SECOND = 1e9;

/** `matched`: the pods that match the filter, by UID. */
export function resourceReportOf(
  nodeName: string,
  { machine, cpu, pods }: Usage,
  load: NodeLoad,
  matched: ReadonlyMap<string, Pod>,
): JsonObject {
  return {
    kind: 'ResourceUsage',
    apiVersion: 'podkeep/v1',
    at: timeOf(machine.cpu.timeMs),
    node: {
      name: nodeName,
      ...cpuJson(cpu),
      cpuCapacityCores: machine.cores,
      ...memoryJson(machine.memory),
      memoryCapacityBytes: machine.memory.totalBytes,
      ...(machine.swap && { swapUsageBytes: machine.swap.usedBytes }),
      ...(machine.processes && { processes: machine.processes.running }),
      saturation: Object.fromEntries(load.saturation),
      ...(load.worst && { worst: { ...load.worst } }),
    },
    pods: pods.filter(({ pod }) => matched.has(pod.uid)).map(podUsageJson),
  };
}

function podUsageJson({ pod, cpu, memory, startedAtMs, containers }: PodUsage): JsonObject {
  return {
    ...podJsonOf(pod),
    startedAt: timeOf(startedAtMs),
    ...(cpu && cpuJson(cpu)),
    ...(memory && memoryJson(memory)),
    containers: containers.map(containerUsageJson),
  };
}

function containerUsageJson(usage: ContainerUsage): JsonObject {
  const { container, cpu, memory, startedAtMs, writableBytes } = usage;
  return {
    name: container.name,
    startedAt: timeOf(startedAtMs),
    ...(cpu && cpuJson(cpu)),
    ...(memory && memoryJson(memory)),
    ...(writableBytes !== undefined && { writableLayerBytes: writableBytes }),
  };
}

function cpuJson({ nanoCores, usageNanoseconds }: RatedCpu): JsonObject {
  return {
    ...(nanoCores !== undefined && { cpuCores: nanoCores / NANOCORES_PER_CORE }),
    cpuSecondsTotal: Number(usageNanoseconds) / NANOSECONDS_PER_SECOND,
  };
}

function memoryJson({ workingSetBytes, usageBytes, residentBytes }: MemoryStats): JsonObject {
  return {
    memoryWorkingSetBytes: workingSetBytes,
    ...(usageBytes !== undefined && { memoryUsageBytes: usageBytes }),
    ...(residentBytes !== undefined && { memoryResidentBytes: residentBytes }),
  };
}
