/**
 * Observes the node for the eviction manager: memory, process IDs and file systems.
 *
 *     machine ──────> memory.available, pid.available, nodefs.*
 *     runtime ──────> imagefs.*, and which file system containerfs is
 *     cgroup ───────> allocatableMemory.available: memory of all pods, compared with their common limit
 *
 * imagefs is observed separately even if it is the same file system as nodefs, as in Kubernetes' kubelet.
 * Signals that cannot be read are absent, and cause no pressure.
 */
import type { Capacity, FileSystemSpace } from '../../api/machine.ts';
import type { EvictionSignal } from '../../core/eviction/eviction-signal.ts';
import { containerFsIs, type FileSystemLayout } from '../../core/eviction/file-system-layout.ts';
import type { Observation, Observations } from '../../core/eviction/observation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MachineFacts } from '../../ports/machine-facts.ts';
import type { PodDiskUsage } from '../../ports/pod/pod-disk-usage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { NodeEvents } from '../node/node-events.ts';

export interface NodeObserverDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly events?: NodeEvents | undefined;
  readonly machine: MachineFacts;
  readonly runtime: { readonly images: Pick<PodRuntime['images'], 'usage'> };
  /** Absent: the files of pods are not on a disk, and nothing is elsewhere. */
  readonly disk?: Pick<PodDiskUsage, 'isElsewhere'> | undefined;
  readonly rootFolder: string;
  /** The memory of all pods together, and its limit. Absent: pods have no common limit here. */
  readonly podsMemory?: (() => Promise<Capacity | null>) | undefined;
}

export class NodeObserver {
  readonly #deps: NodeObserverDeps;
  #layout: FileSystemLayout | undefined;
  #isImageDiskEmpty = false;

  constructor(deps: NodeObserverDeps) {
    this.#deps = deps;
  }

  /** Determined once, as in the kubelet. Null: the runtime does not answer. */
  async layout(): Promise<FileSystemLayout | null> {
    this.#layout ??=
      (await this.#ask('the image filesystem', () => this.#findLayout())) ?? undefined;
    return this.#layout ?? null;
  }

  async observe(): Promise<Observations> {
    const { clock, machine, rootFolder, podsMemory } = this.#deps;
    const [usage, pods, images, allocatable, layout] = await Promise.all([
      this.#ask('the usage of the machine', () => machine.usage()),
      this.#ask('the pod filesystem', () => machine.fileSystem(rootFolder)),
      this.#ask('the image filesystem', () => this.#imageDisk()),
      podsMemory ? this.#ask('the memory of all pods', podsMemory) : null,
      this.layout(),
    ]);
    const containers = containerFsIs(layout ?? 'single') === 'imagefs' ? images : pods;
    const capacities: readonly (readonly [EvictionSignal, Capacity | null | undefined])[] = [
      ['memory.available', usage?.memory],
      ['allocatableMemory.available', allocatable],
      ['nodefs.available', pods?.bytes],
      ['nodefs.inodesFree', pods?.inodes],
      ['imagefs.available', images?.bytes],
      ['imagefs.inodesFree', images?.inodes],
      ['containerfs.available', containers?.bytes],
      ['containerfs.inodesFree', containers?.inodes],
      ['pid.available', usage?.pids],
    ];
    const atMs = clock.now();
    return new Map(
      capacities.flatMap(
        ([signal, capacity]): readonly (readonly [EvictionSignal, Observation])[] =>
          capacity ? [[signal, { ...capacity, atMs }]] : [],
      ),
    );
  }

  async #findLayout(): Promise<FileSystemLayout> {
    const { runtime, disk } = this.#deps;
    const usage = disk ? await runtime.images.usage() : null;
    if (!disk || !usage) return 'single';
    const { mountpoint, containerMountpoint = mountpoint } = usage;
    const isSplit =
      mountpoint !== containerMountpoint &&
      (await disk.isElsewhere(containerMountpoint, mountpoint));
    if (isSplit) return 'split';
    return (await disk.isElsewhere(mountpoint)) ? 'dedicated' : 'single';
  }

  /** Null: the runtime does not report where its images are. */
  async #imageDisk(): Promise<FileSystemSpace | null> {
    const { runtime, machine, events } = this.#deps;
    const usage = await runtime.images.usage();
    if (!usage) return null;
    const disk = await machine.fileSystem(usage.mountpoint);
    const isEmpty = disk.bytes.capacity === 0;
    if (isEmpty && !this.#isImageDiskEmpty) {
      const message = 'invalid capacity 0 on image filesystem';
      events?.recordNode('Warning', 'InvalidDiskCapacity', message);
    }
    this.#isImageDiskEmpty = isEmpty;
    return isEmpty ? null : disk;
  }

  async #ask<Fact>(what: string, ask: () => Promise<Fact>): Promise<Fact | null> {
    try {
      return await ask();
    } catch (error) {
      this.#deps.log.debug(`Eviction manager: failed to read ${what}`, { error });
      return null;
    }
  }
}
