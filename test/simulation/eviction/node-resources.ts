/**
 * Memory, disks and process IDs of the simulated node: the truth that podkeep's eviction manager observes.
 *
 *     available = capacity - other programs - images and dead containers - pods
 *
 * Other programs are the weather: acts change what they use. A pod uses what its containers use, as long
 * as its sandbox is ready; its use grows and shrinks with acts, too.
 */
import { Dice } from '../dice.ts';
import type { RuntimeRecords } from '../runtime-records.ts';
import { CAPACITIES, kindOf, type FileSystem, type Layout } from './eviction-policies.ts';
import { MiB } from './pod-traits.ts';

export interface Amounts {
  readonly bytes: number;
  readonly inodes: number;
}

export interface ContainerUse {
  readonly id: string;
  readonly name: string;
  readonly memory: number;
  readonly rootfs: Amounts;
  readonly logs: Amounts;
}

export interface PodUse {
  readonly memory: number;
  readonly processes: number;
  readonly containers: readonly ContainerUse[];
  readonly volume: Amounts;
}

export type Growth = 'memory' | 'disk' | 'processes';

export class NodeResources {
  readonly layout: Layout;
  readonly #seed: number;
  readonly #records: RuntimeRecords;
  /** By signal. */
  readonly #others = new Map<string, number>();
  /** What the node can reclaim, by signal. */
  readonly #garbage = new Map<string, number>();
  /** By UID and resource. */
  readonly #growth = new Map<string, number>();

  constructor(seed: number, records: RuntimeRecords) {
    this.#seed = seed;
    this.#records = records;
    this.layout = new Dice(seed, 'layout').oneOf('single', 'dedicated', 'split');
  }

  /** Null: the pod has no sandbox, and nothing is known of it. */
  useOf(uid: string): PodUse | null {
    const { sandboxes } = this.#records.look(uid);
    if (sandboxes[0]?.ready !== true) return null;
    const dice = new Dice(this.#seed, `use of ${uid}`);
    const grown = (amount: number, by: Growth): number => amount * this.#growthOf(uid, by);
    const volumeMiB = dice.between(1, 100);
    const processes = grown(dice.between(1, 60), 'processes');
    const containers = this.#records.running(uid).map(({ id, name }) => {
      const own = new Dice(this.#seed, `use of ${uid} ${name}`);
      return {
        id,
        name,
        memory: grown(own.between(10, 200) * MiB, 'memory'),
        rootfs: grownDisk(own.between(1, 150), this.#growthOf(uid, 'disk')),
        logs: grownDisk(own.between(1, 50), 1),
      };
    });
    return {
      memory: containers.reduce((sum, { memory }) => sum + memory, MiB),
      processes,
      containers,
      volume: grownDisk(volumeMiB, this.#growthOf(uid, 'disk')),
    };
  }

  available(signal: string): number {
    const capacity = CAPACITIES[signal] ?? 0;
    const base = this.#baseOf(signal);
    const used = (this.#others.get(base) ?? 0) + (this.#garbage.get(base) ?? 0);
    return Math.max(capacity - used - this.#usedByPods(base), 0);
  }

  /** Other programs take or free so much that this is available. */
  setAvailable(signal: string, available: number): void {
    const base = this.#baseOf(signal);
    this.#others.set(base, (this.#others.get(base) ?? 0) + this.available(base) - available);
  }

  grow(uid: string, by: Growth, factor: number): void {
    this.#growth.set(`${uid} ${by}`, factor);
  }

  addGarbage(fileSystem: FileSystem, amounts: Amounts): void {
    const add = (signal: string, amount: number): void =>
      void this.#garbage.set(signal, (this.#garbage.get(signal) ?? 0) + amount);
    add(this.#baseOf(`${fileSystem}.available`), amounts.bytes);
    add(this.#baseOf(`${fileSystem}.inodesFree`), amounts.inodes);
  }

  /** Dead containers and unused images are gone. */
  reclaim(): void {
    this.#garbage.clear();
  }

  clearUp(): void {
    this.#others.clear();
    this.#garbage.clear();
    this.#growth.clear();
  }

  #growthOf(uid: string, by: Growth): number {
    return this.#growth.get(`${uid} ${by}`) ?? 1;
  }

  /** The signal of the file system that this one is another name of. */
  #baseOf(signal: string): string {
    const [fileSystem = '', rest = ''] = signal.split('.');
    if (fileSystem === 'imagefs' && this.layout === 'single') return `nodefs.${rest}`;
    if (fileSystem !== 'containerfs') return signal;
    return `${this.layout === 'dedicated' ? 'imagefs' : 'nodefs'}.${rest}`;
  }

  #usedByPods(base: string): number {
    const [fileSystem] = base.split('.');
    const kind = kindOf(base);
    const unit = kind === 'inodes' ? 'inodes' : 'bytes';
    const rootfsIsOn = this.layout === 'dedicated' ? 'imagefs' : 'nodefs';
    return this.#records.all().reduce((sum, { pod }) => {
      const use = this.useOf(pod.uid);
      if (!use) return sum;
      if (kind === 'memory') return sum + use.memory;
      if (kind === 'pids') return sum + use.processes;
      const rootfs = use.containers.reduce((total, one) => total + one.rootfs[unit], 0);
      const logs = use.containers.reduce((total, one) => total + one.logs[unit], 0);
      const rest = fileSystem === 'nodefs' ? logs + use.volume[unit] : 0;
      return sum + rest + (fileSystem === rootfsIsOn ? rootfs : 0);
    }, 0);
  }
}

function grownDisk(mib: number, factor: number): Amounts {
  return { bytes: mib * MiB * factor, inodes: mib * factor };
}
