/**
 * Measures the resource usage of containers from their control groups; without these, from their processes.
 */
import type { Clock } from '../../../ports/clock.ts';
import type { ContainerStats, SandboxStats } from '../../../ports/runtime/stats.ts';
import type { Container } from '../container/container.ts';
import type { Limits } from './limits.ts';
import type { Registry } from '../container/registry.ts';
import { familyOf, TICKS_PER_SECOND, type ProcessEntry } from './proc-table.ts';

export interface StatsSources {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly table: readonly ProcessEntry[];
}

const NANOSECONDS_PER_TICK = 1_000_000_000 / TICKS_PER_SECOND;

export function statsOf(container: Container, sources: StatsSources): ContainerStats {
  const { clock, limits, table } = sources;
  const { id, podUid, config } = container.record;
  const timeMs = clock.now();
  const family = container.init ? familyOf(container.init, table, container.session) : [];
  const sum = (count: (entry: ProcessEntry) => number): number =>
    family.reduce((total, entry) => total + count(entry), 0);
  const usage = limits.usage(container);
  const residentBytes = limits.residentBytes(container, table);
  const ticks = sum((entry) => entry.cpuTicks) * NANOSECONDS_PER_TICK;
  return {
    id,
    name: config.name,
    podUid,
    cpu: { timeMs, usageNanoseconds: usage.cpuNanoseconds ?? BigInt(ticks) },
    memory: {
      timeMs,
      residentBytes,
      workingSetBytes: usage.workingSetBytes ?? residentBytes,
      usageBytes: usage.memoryBytes ?? residentBytes,
      pageFaults: sum((entry) => entry.pageFaults),
      majorPageFaults: sum((entry) => entry.majorPageFaults),
    },
    ...(usage.throttling && { throttling: usage.throttling }),
    ...(usage.io && { io: usage.io }),
  };
}

export function statsOfSandboxes(
  { sandboxes, running }: Pick<Registry, 'sandboxes' | 'running'>,
  sources: StatsSources,
): readonly SandboxStats[] {
  const ready = sandboxes.filter(({ record }) => record.isReady);
  return ready.map(({ id, record }) => {
    const own = running.filter((container) => container.record.sandboxId === id);
    return sandboxStatsOf(record.config.podUid, own, sources);
  });
}

/** The usage of a pod is the sum of its containers. */
function sandboxStatsOf(
  podUid: string,
  containers: readonly Container[],
  sources: StatsSources,
): SandboxStats {
  const parts = containers.map((container) => statsOf(container, sources));
  const timeMs = sources.clock.now();
  const sum = (count: (part: ContainerStats) => number | undefined): number =>
    parts.reduce((total, part) => total + (count(part) ?? 0), 0);
  const nanoseconds = parts.reduce((total, { cpu }) => total + (cpu?.usageNanoseconds ?? 0n), 0n);
  const families = containers.map(({ init, session }) =>
    init ? familyOf(init, sources.table, session).length : 0,
  );
  return {
    podUid,
    cpu: { timeMs, usageNanoseconds: nanoseconds },
    memory: {
      timeMs,
      workingSetBytes: sum(({ memory }) => memory?.workingSetBytes),
      residentBytes: sum(({ memory }) => memory?.residentBytes),
      usageBytes: sum(({ memory }) => memory?.usageBytes),
    },
    processes: families.reduce((total, count) => total + count, 0),
  };
}
