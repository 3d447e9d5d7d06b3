/**
 * Builds, starts and stops the loops that run beside the sync loop.
 *
 *     housekeeping       every 2 s     compares desired pods, pod workers and the runtime
 *     log rotation       every 10 s    renames logs that are too long
 *     eviction           every 10 s    evicts pods under node pressure, and pods above their own limits
 *     container GC       every minute  removes dead containers
 *     image GC           every 5 min   removes images when the disk is short
 */
import type { Pod } from '../api/pod.ts';
import { podReferenceOf } from '../api/run-spec.ts';
import type { Cancel } from '../ports/clock.ts';
import { ContainerCollector } from './containers/stop/container-collector.ts';
import { createEvictionManager } from './eviction/create-eviction-manager.ts';
import type { EvictionManager } from './eviction/eviction-manager.ts';
import { ImageCollector } from './images/image-collector.ts';
import type { KubeletOptions } from './kubelet-options.ts';
import { LogRotation } from './logs/log-rotation.ts';
import type { PodEngine } from './pod-engine.ts';
import { volumeSpecOf } from './volumes/volume-spec.ts';
import type { MirrorClient } from './pod-manager/mirror-pods.ts';
import { Housekeeping } from './sync-loop/housekeeping.ts';
import { SyncLoopMonitor } from './sync-loop/sync-loop-monitor.ts';

export interface BackgroundLoopsDeps {
  readonly options: KubeletOptions;
  readonly engine: PodEngine;
  readonly mirrors: MirrorClient | undefined;
  /** The pod with its allocated resources. */
  readonly allocated: (pod: Pod) => Pod;
  /** Every pod source has delivered its pods once. */
  readonly areSourcesReady: () => boolean;
  /** The pod is admitted, and waits for its allocation to be on disk. */
  readonly isEntering: (uid: string) => boolean;
  /** Forgets the allocations of all pods but these. */
  readonly removeOrphanedAllocations: (remaining: ReadonlySet<string>) => void;
}

const COLLECT_MS = 60_000;

export class BackgroundLoops {
  readonly eviction: EvictionManager;
  readonly #deps: BackgroundLoopsDeps;
  readonly #monitor: SyncLoopMonitor;
  readonly #housekeeping: Housekeeping;
  readonly #rotation: LogRotation;
  readonly #containers: ContainerCollector;
  readonly #images: ImageCollector | undefined;
  readonly #abort = new AbortController();
  #cancelCollect: Cancel = () => {};

  constructor(deps: BackgroundLoopsDeps) {
    this.#deps = deps;
    this.#monitor = new SyncLoopMonitor(deps.options.clock);
    this.#housekeeping = this.#makeHousekeeping();
    this.#rotation = this.#makeRotation();
    this.#containers = this.#makeContainerCollector();
    this.#images = this.#makeImageCollector();
    this.eviction = this.#makeEviction();
  }

  start(): void {
    this.#monitor.start();
    this.#housekeeping.start();
    if (!this.#deps.options.storage.isSimulated) this.#rotation.start();
    this.#collectLater();
    this.#images?.start();
    this.eviction.start();
  }

  /** Resolves when no loop does anything any more. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#monitor.stop();
    this.#cancelCollect();
    this.#rotation.stop();
    this.#images?.stop();
    await this.eviction.stop();
    await this.#housekeeping.stop();
  }

  /** Why each loop counts as hung. Null: it runs. */
  faults(): { readonly syncLoop: string | null; readonly housekeeping: string | null } {
    return { syncLoop: this.#monitor.unhealthy(), housekeeping: this.#housekeeping.unhealthy() };
  }

  /** Removes dead containers of the pod: of this name, or all of them if the name is empty. */
  prune(pod: Pod, container: string): void {
    const { log } = this.#deps.options;
    const { signal } = this.#abort;
    this.#containers.prunePod(podReferenceOf(pod), container, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn('Failed to remove dead containers', { error });
    });
  }

  #makeHousekeeping(): Housekeeping {
    const { options, engine, mirrors, areSourcesReady, isEntering } = this.#deps;
    const { clock, log, metrics, storage, cgroups } = options;
    return new Housekeeping({
      clock,
      log,
      runtime: engine.runtime,
      pods: engine.pods,
      workers: engine.workers,
      prober: engine.prober,
      status: engine.status,
      volumes: storage.volumes,
      cgroups,
      runner: engine.runner,
      metrics: metrics.housekeeping,
      mirrors,
      keepGrants: async (uids) => {
        this.#deps.removeOrphanedAllocations(uids);
        await storage.actuated.removeOrphanedPods(uids);
      },
      areSourcesReady,
      isEntering,
    });
  }

  #makeRotation(): LogRotation {
    const { clock, log, storage, settings = {} } = this.#deps.options;
    const { containerLogMaxBytes: maxBytes, containerLogMaxFiles: maxFiles } = settings;
    const { containerLogRotationMs: everyMs } = settings;
    return new LogRotation({
      clock,
      log,
      runtime: this.#deps.engine.runtime,
      files: storage.files,
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxFiles !== undefined && { maxFiles }),
      ...(everyMs !== undefined && { everyMs }),
    });
  }

  #makeContainerCollector(): ContainerCollector {
    const { clock, log, storage } = this.#deps.options;
    const { runtime, runner, workers: pods, status } = this.#deps.engine;
    const { files, logLinks } = storage;
    const isAcknowledged = (uid: string): boolean => status.isAcknowledged(uid);
    const shared = { clock, log, runtime, runner, pods, files, logLinks };
    return new ContainerCollector({ ...shared, isAcknowledged });
  }

  /** Undefined: the runtime has no images to collect. */
  #makeImageCollector(): ImageCollector | undefined {
    const { clock, log, nodeEvents: events, pullRecords, settings = {} } = this.#deps.options;
    const { images: policy } = settings;
    const { runtime } = this.#deps.engine;
    const collected = pullRecords && ((refs: ReadonlySet<string>) => pullRecords.keepOnly(refs));
    const volumeImages = (): readonly string[] => this.#volumeImages();
    return (
      policy && new ImageCollector({ clock, log, events, policy, runtime, collected, volumeImages })
    );
  }

  /** The images of image volumes, because the runtime does not report them with its containers. */
  #volumeImages(): readonly string[] {
    const pods = this.#deps.engine.pods.pods();
    return pods.flatMap((pod) =>
      (volumeSpecOf(pod).volumes ?? []).flatMap(({ image }) => image?.reference ?? []),
    );
  }

  #makeEviction(): EvictionManager {
    const { options, engine, allocated } = this.#deps;
    const { eviction: node, settings = {}, readinessChanged: changed } = options;
    return createEvictionManager({
      ...options,
      node,
      engine,
      changed,
      allocated,
      hasLocalStorageLimits: settings.localStorageCapacityIsolation !== false,
      reclaim: {
        containers: () => this.#collect(true),
        images: async () => this.#images?.deleteUnused(),
      },
    });
  }

  #collect(isDiskShort: boolean): Promise<void> {
    const areSourcesReady = this.#deps.areSourcesReady();
    return this.#containers.collect({ areSourcesReady, isDiskShort }, this.#abort.signal);
  }

  #collectLater(): void {
    const { clock } = this.#deps.options;
    const { signal } = this.#abort;
    this.#cancelCollect = clock.after(COLLECT_MS, () => {
      void this.#collect(false)
        .catch(() => {})
        .finally(() => {
          if (!signal.aborted) this.#collectLater();
        });
    });
  }
}
