/**
 * Manages the cgroups of this node's pods: creates them, sets their limits, resizes and removes them.
 *
 *     kubepods                 the node's resources for pods
 *     ├── podUID               guaranteed pods
 *     ├── burstable            burstable pods; their share grows with their requests
 *     │   └── podUID
 *     └── besteffort           best-effort pods; they have the smallest share
 *         └── podUID           the runtime makes the cgroups of containers below
 *
 * 1. The cgroup of a pod that is not desired is removed, and processes in it are killed.
 * 2. A pod whose volumes still exist keeps its cgroup, with the smallest share: unmounting must not compete
 *    for CPU.
 * 3. A failed creation can be retried: steps that are already done have no effect.
 */
import type { Capacity } from '../../api/machine.ts';
import type { Pod, QosClass } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import { podCgroup, podUidOf, qosCgroup, type CgroupName } from '../../core/cgroups/cgroup-name.ts';
import {
  BEST_EFFORT_LIMITS,
  burstableShares,
  nodeCgroupLimits,
  podCgroupLimits,
  type PodLimitSettings,
} from '../../core/cgroups/pod-limits.ts';
import {
  raisedLimits,
  settledLimits,
  type CurrentLimits,
} from '../../core/cgroups/raised-limits.ts';
import { qosClass } from '../../core/resources/qos-class.ts';
import { defineError } from '../../lib/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodCgroups } from '../../ports/pod/pod-cgroups.ts';
import { pause } from '../waiting/pause.ts';
import { readCgroupStats, type NodeCgroupStats } from './cgroup-stats.ts';
import type { CgroupTree } from './cgroup-tree.ts';

export interface NodePodCgroupsOptions {
  readonly tree: CgroupTree;
  readonly clock: Clock;
  readonly log: Log;
  /** The cgroup of all pods, such as kubepods. */
  readonly pods: CgroupName;
  readonly settings: PodLimitSettings;
  /** Sends SIGKILL; a process that is gone is no error. */
  readonly kill: (pid: number) => void;
}

export const cgroupNotUsable = defineError<{ path: string; reason: string }>({
  code: 'CGROUP_NOT_USABLE',
  retry: 'never',
  message: ({ path, reason }) => `the cgroup ${path} cannot be created: ${reason}`,
  hint: () => 'Run podkeep as root, or set cgroupsPerQOS: false and enforceNodeAllocatable: [].',
});

const KILL_TRIES = 5;
const RETRY_MS = 20;
const CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];
/** Above this, a number in version 1 means "no limit". */
const LIMIT_MAX = 2 ** 53;
const NEVER = new AbortController().signal;

export class NodePodCgroups implements PodCgroups {
  readonly #options: NodePodCgroupsOptions;
  #burstableShares = 0;

  constructor(options: NodePodCgroupsOptions) {
    this.#options = options;
  }

  /** Throws CGROUP_NOT_USABLE: pods without limits must not start silently. */
  async start(): Promise<void> {
    const { tree, pods } = this.#options;
    await this.#make(pods, () => tree.create(pods, {}));
    for (const qos of ['Burstable', 'BestEffort'] as const) {
      const name = qosCgroup(pods, qos);
      const limits = qos === 'BestEffort' ? BEST_EFFORT_LIMITS : {};
      await this.#make(name, () => tree.create(name, limits));
    }
  }

  /** Limits all pods together. */
  async limitAll(allocatable: ResourceList): Promise<void> {
    const { tree, pods } = this.#options;
    await tree.update(pods, nodeCgroupLimits(allocatable));
  }

  /** Of all pods together. Null: they have no limit, or the kernel does not count their memory. */
  async memory(): Promise<Capacity | null> {
    const { tree, pods } = this.#options;
    const { memoryBytes: limit } = await this.#current(pods);
    const read = (file: string): Promise<string | null> =>
      tree.read(pods, { controller: 'memory', file });
    const used = (await read('memory.current')) ?? (await read('memory.usage_in_bytes'));
    const stat = await read('memory.stat');
    if (limit === null || used === null || stat === null) return null;
    // The inactive page cache, which the kernel reclaims first, is not part of the working set.
    const inactive =
      /^total_inactive_file (\d+)$/m.exec(stat) ?? /^inactive_file (\d+)$/m.exec(stat);
    const workingSet = Math.max(Number(used) - Number(inactive?.[1] ?? 0), 0);
    return { capacity: limit, available: Math.max(limit - workingSet, 0) };
  }

  /** The usage of pods, of their containers and of the QoS classes, as the kernel counts it. */
  async stats(): Promise<NodeCgroupStats> {
    const { tree, clock, pods: root } = this.#options;
    return readCgroupStats({ tree, clock, root, pods: await this.#found() });
  }

  parentOf(pod: Pod): string {
    return this.#options.tree.pathOf(this.#nameOf(pod));
  }

  exists(pod: Pod): boolean {
    return this.#options.tree.exists(this.#nameOf(pod));
  }

  async ensure(pod: Pod): Promise<void> {
    const { tree, settings } = this.#options;
    if (this.exists(pod)) return;
    await tree.create(this.#nameOf(pod), podCgroupLimits(pod, settings));
  }

  async raise(pod: Pod): Promise<void> {
    const { tree, settings } = this.#options;
    const name = this.#nameOf(pod);
    if (!tree.exists(name)) return;
    const raised = raisedLimits(podCgroupLimits(pod, settings), await this.#current(name));
    await tree.update(name, raised);
  }

  async settle(pod: Pod): Promise<void> {
    const { tree, settings } = this.#options;
    const name = this.#nameOf(pod);
    if (!tree.exists(name)) return;
    await tree.update(name, settledLimits(podCgroupLimits(pod, settings)));
  }

  async destroy(pod: Pod): Promise<void> {
    await this.#end(this.#nameOf(pod));
  }

  /** Sets the CPU shares of the burstable cgroup to the sum of the requests of its pods. */
  async share(activePods: readonly Pod[]): Promise<void> {
    const { tree, pods } = this.#options;
    const cpuShares = burstableShares(activePods);
    if (cpuShares === this.#burstableShares) return;
    await tree.update(qosCgroup(pods, 'Burstable'), { cpuShares });
    this.#burstableShares = cpuShares;
  }

  /** Removes the cgroups of all pods but these (KL-64, step 16). */
  async removeOrphans(
    keep: ReadonlySet<string>,
    hasVolumes: (podUid: string) => Promise<boolean>,
  ): Promise<void> {
    const { log, tree } = this.#options;
    for (const [uid, name] of await this.#found()) {
      if (keep.has(uid)) continue;
      try {
        if (await hasVolumes(uid)) await tree.update(name, BEST_EFFORT_LIMITS);
        else await this.#end(name);
      } catch (error) {
        log.warn('Failed to destroy orphaned pod cgroup', { uid, error });
      }
    }
  }

  async #found(): Promise<ReadonlyMap<string, CgroupName>> {
    const { tree, pods } = this.#options;
    const found = new Map<string, CgroupName>();
    for (const qos of CLASSES) {
      for (const last of await tree.children(qosCgroup(pods, qos))) {
        const uid = podUidOf(last, tree.driver);
        if (uid !== null) found.set(uid, podCgroup(pods, qos, uid));
      }
    }
    return found;
  }

  /**
   * Kills the processes in the cgroup and removes it; retries, because a killed process leaves its cgroup a
   * moment later.
   */
  async #end(name: CgroupName): Promise<void> {
    const { tree, clock, kill } = this.#options;
    for (let tries = 1; ; tries += 1) {
      for (const pid of await tree.processes(name)) kill(pid);
      try {
        await tree.remove(name);
        return;
      } catch (error) {
        if (tries >= KILL_TRIES) throw error;
        await pause(clock, RETRY_MS * tries, NEVER);
      }
    }
  }

  async #current(name: CgroupName): Promise<CurrentLimits> {
    const { tree } = this.#options;
    const read = async (controller: string, file: string): Promise<number | null> => {
      const text = await tree.read(name, { controller, file });
      const value = Number(text?.split(' ')[0]);
      return text === null || !(value >= 0 && value < LIMIT_MAX) ? null : value;
    };
    return {
      cpuQuotaUs: (await read('cpu', 'cpu.max')) ?? (await read('cpu', 'cpu.cfs_quota_us')),
      memoryBytes:
        (await read('memory', 'memory.max')) ?? (await read('memory', 'memory.limit_in_bytes')),
    };
  }

  async #make(name: CgroupName, work: () => Promise<void>): Promise<void> {
    const { tree } = this.#options;
    await work().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw cgroupNotUsable({ path: tree.pathOf(name), reason }, error);
    });
  }

  #nameOf(pod: Pod): CgroupName {
    return podCgroup(this.#options.pods, qosClass(pod), pod.metadata.uid ?? '');
  }
}
