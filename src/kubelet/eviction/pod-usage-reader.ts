/**
 * Reads the resource usage of active pods when the eviction manager has to rank them.
 *
 *     runtime ──> memory and processes of pods, memory and writable layers of containers
 *     disk ─────> volumes and logs, if the disk is short
 *
 * A pod without a sandbox has no stats, and is ranked first, as in Kubernetes' kubelet. If the runtime does
 * not answer, the usage of all pods is unknown, and no pod is evicted.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { StarvedResource } from '../../core/eviction/eviction-signal.ts';
import type {
  ContainerUsageStats,
  DiskStats,
  EvictionCandidate,
  PodUsageStats,
} from '../../core/eviction/pod-usage.ts';
import { diskVolumesOf } from '../../core/eviction/local-storage-limits.ts';
import type { PodDiskBytes, PodDiskUsage } from '../../ports/pod/pod-disk-usage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { ContainerStats, SandboxStats } from '../../ports/runtime/stats.ts';
import { referenceOf } from '../pod-workers/update-options.ts';

export interface PodUsageReaderDeps {
  readonly runtime: Pick<PodRuntime, 'list' | 'containerStats' | 'sandboxStats'>;
  /** Absent: the files of pods are not on a disk. */
  readonly disk?: PodDiskUsage | undefined;
}

interface Found {
  readonly pod: Pod;
  readonly running: readonly RuntimeContainer[];
}

interface Stats {
  readonly containers: ReadonlyMap<string, ContainerStats>;
  readonly sandboxes: ReadonlyMap<string, SandboxStats>;
}

export class PodUsageReader {
  readonly #deps: PodUsageReaderDeps;
  #isMeasuring = false;

  constructor(deps: PodUsageReaderDeps) {
    this.#deps = deps;
  }

  /** In the order of the pods. Rejects if the runtime does not answer. */
  async read(
    pods: readonly Pod[],
    resource: StarvedResource,
  ): Promise<readonly EvictionCandidate[]> {
    const { runtime } = this.#deps;
    const [entries, containers, sandboxes] = await Promise.all([
      runtime.list(),
      runtime.containerStats?.() ?? [],
      runtime.sandboxStats?.() ?? [],
    ]);
    const live = new Map(
      entries
        .filter(({ pod }) => pod.sandboxes[0]?.ready === true)
        .map(({ uid, pod }) => [uid, pod.containers.filter(({ state }) => state === 'running')]),
    );
    const found = pods.flatMap((pod) => {
      const running = live.get(pod.metadata.uid ?? '');
      return running ? [{ pod, running }] : [];
    });
    const disk = await this.#measure(found, resource);
    const stats: Stats = {
      containers: new Map(containers.map((each) => [each.id, each])),
      sandboxes: new Map(sandboxes.map((each) => [each.podUid, each])),
    };
    return pods.map((pod) => {
      const own = found.find((each) => each.pod === pod);
      return { pod, stats: own ? statsOf(own, stats, disk.get(pod)) : null };
    });
  }

  /** The pressure is over: forgets the measured sizes of volumes. */
  async release(): Promise<void> {
    if (!this.#isMeasuring) return;
    this.#isMeasuring = false;
    await this.#deps.disk?.measure([]);
  }

  async stop(): Promise<void> {
    await this.#deps.disk?.stop();
  }

  async #measure(
    found: readonly Found[],
    resource: StarvedResource,
  ): Promise<ReadonlyMap<Pod, PodDiskBytes>> {
    const { disk } = this.#deps;
    if (!disk || (resource !== 'ephemeral-storage' && resource !== 'inodes')) return new Map();
    this.#isMeasuring = true;
    const measured = await disk.measure(
      found.map(({ pod, running }) => ({
        pod: referenceOf(pod),
        volumes: diskVolumesOf(pod),
        containers: running.map(({ name }) => name),
      })),
    );
    return new Map(
      found.flatMap(({ pod }, index) => {
        const bytes = measured[index];
        return bytes ? [[pod, bytes] as const] : [];
      }),
    );
  }
}

function statsOf(
  { pod, running }: Found,
  { containers, sandboxes }: Stats,
  disk: PodDiskBytes | undefined,
): PodUsageStats {
  const sandbox = sandboxes.get(pod.metadata.uid ?? '');
  const parts = running.map(({ id, name }) => partOf(name, containers.get(id), disk));
  return {
    memoryBytes: sandbox?.memory?.workingSetBytes ?? sumOfMemory(parts),
    processes: sandbox?.processes ?? null,
    containers: parts,
    volumes: [...(disk?.volumes ?? [])].map(([name, bytes]) => {
      return { name, bytes, inodes: disk?.volumeInodes?.get(name) ?? 0 };
    }),
  };
}

function partOf(
  name: string,
  stats: ContainerStats | undefined,
  disk: PodDiskBytes | undefined,
): ContainerUsageStats {
  const { writableBytes, writableInodes: inodes = 0 } = stats ?? {};
  return {
    name,
    memoryBytes: stats?.memory?.workingSetBytes ?? null,
    rootfs: writableBytes === undefined ? null : { bytes: writableBytes, inodes },
    logs: logsOf(name, disk),
  };
}

function logsOf(name: string, disk: PodDiskBytes | undefined): DiskStats | null {
  const bytes = disk?.logs.get(name);
  return bytes === undefined ? null : { bytes, inodes: disk?.logInodes?.get(name) ?? 0 };
}

/** Null: the memory of no container is known. */
function sumOfMemory(parts: readonly ContainerUsageStats[]): number | null {
  const known = parts.flatMap(({ memoryBytes }) => (memoryBytes === null ? [] : [memoryBytes]));
  return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}
