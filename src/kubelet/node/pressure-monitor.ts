/**
 * Looks every ten seconds whether the machine runs out of something, by the hard eviction thresholds.
 *
 *     memory, process IDs, file systems ──> thresholds ──> pressures ──> node conditions, admission
 *
 * The file system of the images counts for itself also where it is that of the pods, as with the kubelet.
 * A look that cannot be had is no reason to worry: the pressure it would have shown ends by itself.
 */
import type { FileSystemRoom, Room } from '../../api/machine.ts';
import {
  parseThresholds,
  type EvictionSignal,
  type EvictionThreshold,
  type Pressure,
} from '../../core/node/eviction-threshold.ts';
import { pressuresAt, rememberPressure, type PressureMemory } from '../../core/node/pressure.ts';
import type { NodeSettings } from '../../core/node/node-settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { MachineFacts } from '../../ports/machine-facts.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { NodeEvents } from './node-events.ts';
import { pause } from './waiting.ts';

export interface PressureMonitorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: NodeEvents;
  readonly machine: MachineFacts;
  readonly runtime: Pick<PodRuntime, 'images'>;
  readonly rootFolder: string;
  readonly settings: Pick<NodeSettings, 'evictionHard' | 'pressureTransitionMs'>;
  /** A pressure has come or gone. */
  readonly changed: () => void;
  readonly signal: AbortSignal;
}

const LOOK_MS = 10_000;

export class PressureMonitor {
  readonly #options: PressureMonitorOptions;
  readonly #thresholds: readonly EvictionThreshold[];
  #memory: PressureMemory = new Map();
  #pressures: ReadonlySet<Pressure> = new Set();
  #isImageDiskEmpty = false;

  constructor(options: PressureMonitorOptions) {
    this.#options = options;
    this.#thresholds = parseThresholds(options.settings.evictionHard);
  }

  /** As of the last look. */
  pressures(): ReadonlySet<Pressure> {
    return this.#pressures;
  }

  /** Resolves when the signal was aborted. It never rejects. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      await this.look();
      await pause(clock, LOOK_MS, signal);
    }
  }

  async look(): Promise<void> {
    const observations = await this.#observe();
    const { clock, signal, changed, settings } = this.#options;
    if (signal.aborted) return;
    const nowMs = clock.monotonic();
    this.#memory = rememberPressure(this.#memory, this.#thresholds, observations, nowMs);
    const before = this.#pressures;
    this.#pressures = pressuresAt(this.#memory, settings.pressureTransitionMs, nowMs);
    const isSame =
      before.size === this.#pressures.size && [...before].every((one) => this.#pressures.has(one));
    if (!isSame) changed();
  }

  async #observe(): Promise<ReadonlyMap<EvictionSignal, Room>> {
    const { machine, rootFolder } = this.#options;
    const [usage, pods, images] = await Promise.all([
      this.#ask('the use of the machine', () => machine.usage()),
      this.#ask('the file system of the pods', () => machine.fileSystem(rootFolder)),
      this.#ask('the file system of the images', () => this.#imageDisk()),
    ]);
    const rooms: readonly (readonly [EvictionSignal, Room | null | undefined])[] = [
      ['memory.available', usage?.memory],
      ['nodefs.available', pods?.bytes],
      ['nodefs.inodesFree', pods?.inodes],
      ['imagefs.available', images?.bytes],
      ['imagefs.inodesFree', images?.inodes],
      ['pid.available', usage?.pids],
    ];
    return new Map(rooms.flatMap(([signal, room]) => (room ? [[signal, room]] : [])));
  }

  /** Null: the runtime does not say where its images are. */
  async #imageDisk(): Promise<FileSystemRoom | null> {
    const { runtime, machine, events } = this.#options;
    const usage = await runtime.images.usage();
    if (!usage) return null;
    const disk = await machine.fileSystem(usage.mountpoint);
    const isEmpty = disk.bytes.capacity === 0;
    if (isEmpty && !this.#isImageDiskEmpty) {
      const message = 'invalid capacity 0 on image filesystem';
      events.recordNode('Warning', 'InvalidDiskCapacity', message);
    }
    this.#isImageDiskEmpty = isEmpty;
    return isEmpty ? null : disk;
  }

  async #ask<Fact>(what: string, ask: () => Promise<Fact>): Promise<Fact | null> {
    try {
      return await ask();
    } catch (error) {
      this.#options.log.debug(`${what} could not be read`, { error });
      return null;
    }
  }
}
