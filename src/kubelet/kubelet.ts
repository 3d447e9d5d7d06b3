/**
 * The kubelet: builds and connects its parts, and starts and stops them (KL-55 to KL-65).
 *
 *     sources ──> SyncLoop ──> workers ──> PodSync ──> runner ──> runtime
 *                               ▲  ▲                                │
 *                     probes ───┘  └──── pod cache <────────────────┘
 *                        │                   │
 *                        └──> status manager <┘ ──> API
 *
 * No loop polls: each part calls the next one on a change. Housekeeping reconciles every two seconds.
 *
 *     start   the runtime is listed ──> sources start ──> pods are admitted
 *     stop    nothing new starts, current work is cancelled; containers keep running
 */
import type { Pod } from '../api/pod.ts';
import { isMirrorPod } from '../core/pod/pod-facts.ts';
import { Deadlines } from './sync-loop/deadlines.ts';
import { SyncLoop } from './sync-loop/sync-loop.ts';
import { predecessorEnded } from './sync-loop/predecessor.ts';
import { NodeAdmission } from './admission/node-admission.ts';
import { AllocationManager } from './allocation/allocation-manager.ts';
import { BackgroundLoops } from './background-loops.ts';
import type { EvictionManager } from './eviction/eviction-manager.ts';
import type { KubeletOptions } from './kubelet-options.ts';
import type { QueriedPods, QueriedStatuses } from './query/shown-pods.ts';
import type { LifecycleEvent } from './pleg/lifecycle-event.ts';
import { PodEngine } from './pod-engine.ts';
import { aborted } from './waiting/aborted.ts';
import { MirrorClient } from './pod-manager/mirror-pods.ts';
import { followProbes } from './probes/probe-sync.ts';
import { startApiSource } from './sources/api-source.ts';
import { FileSource } from './sources/file-source.ts';
import { PodConfig } from './sources/pod-config.ts';
import type { PodName } from '../ports/api/api-client.ts';
import type { PodReference } from '../api/pod-reference.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import { podReferenceOf } from '../api/run-spec.ts';
import { readAdmissionNode } from './node/admission-node.ts';
import { NodeShutdownManager } from './node-shutdown/node-shutdown-manager.ts';
import { activePods } from './pod-workers/active-pods.ts';
import { stopContainerOf, stopContainersOf } from './stop-containers.ts';
import type { StatusManager } from './status-manager/status-manager.ts';
import type { KillPodOptions } from './pod-workers/kill-pod-now.ts';

/** Why each loop is unhealthy. Null: it is healthy. */
export interface KubeletLoopFaults {
  readonly syncLoop: string | null;
  readonly housekeeping: string | null;
  readonly podCache: string | null;
  readonly runtimeDownForMs: number | null;
}

export class Kubelet {
  readonly config: PodConfig;
  readonly #options: KubeletOptions;
  readonly #engine: PodEngine;
  readonly #allocations: AllocationManager;
  readonly #admission: NodeAdmission;
  readonly #mirrors: MirrorClient | undefined;
  readonly #syncLoop: SyncLoop;
  readonly #loops: BackgroundLoops;
  readonly #shutdown: NodeShutdownManager;
  readonly #abort = new AbortController();
  readonly #endings: (() => void)[] = [];
  #prepared: Promise<void> | undefined;

  constructor(options: KubeletOptions) {
    const { log, api, nodeName } = options;
    this.#options = options;
    this.#mirrors = api && new MirrorClient({ api: api.kube, log, nodeName });
    const allocated = (pod: Pod): Pod => this.#allocations.updatePodFromAllocation(pod);
    this.#engine = new PodEngine({ ...options, mirrors: this.#mirrors, allocated });
    this.#allocations = this.#makeAllocations();
    this.#admission = this.#makeAdmission();
    this.#syncLoop = this.#makeSyncLoop();
    this.config = this.#makeConfig();
    this.#shutdown = this.#makeShutdown();
    this.#loops = new BackgroundLoops({
      options,
      engine: this.#engine,
      mirrors: this.#mirrors,
      allocated,
      areSourcesReady: () => this.config.hasSeenAll,
      isEntering: (uid) => this.#syncLoop.isEntering(uid),
      removeOrphanedAllocations: (remaining) => this.#allocations.removeOrphanedPods(remaining),
    });
  }

  /** The eviction manager, which knows the pressures of the node. */
  get eviction(): EvictionManager {
    return this.#loops.eviction;
  }

  /** The runtime, with a deadline for every call. */
  get runtime(): PodRuntime {
    return this.#engine.runtime;
  }

  /** So many pods are starting that others wait. Always false if the runtime has no limit. */
  get isStartingPods(): boolean {
    return this.#engine.starts?.isBusy ?? false;
  }

  /** Whether the runtime mounts images as volumes. */
  get mountsImages(): boolean {
    return this.#engine.health.features?.hasImageVolumes ?? false;
  }

  get mountsImageSubPaths(): boolean {
    return this.#engine.health.features?.hasImageSubPaths ?? false;
  }

  get supportsRecursiveReadOnly(): boolean {
    return this.#engine.health.features?.hasRecursiveReadOnly ?? false;
  }

  /**
   * Resolves when the pods of the runtime were listed: from then on the kubelet knows whether the node is
   * ready, and can register it with its real status.
   */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  async #prepare(): Promise<void> {
    await this.#engine.health.start();
    this.#follow();
    this.#engine.cache.start();
    await Promise.race([this.#engine.cache.listed, aborted(this.#abort.signal)]);
  }

  /**
   * Resolves when the sources have started. The runtime is listed before any pod source starts; otherwise a
   * finished pod could look like one with nothing left on the node.
   */
  async start(): Promise<void> {
    const { log } = this.#options;
    await this.prepare();
    if (this.#abort.signal.aborted) return;
    this.#engine.status.start();
    this.#startSources();
    this.#loops.start();
    this.#shutdown.start();
    log.debug('Kubelet started', { node: this.#options.nodeName });
  }

  /** Starts nothing new. Containers keep running; the next podkeep adopts them. */
  async stop(): Promise<void> {
    await this.#shutdown.stop();
    this.#abort.abort();
    for (const end of this.#endings.splice(0)) end();
    this.#allocations.stop();
    this.#engine.prober.stop();
    this.#engine.health.stop();
    await this.#loops.stop();
    await this.#engine.workers.close();
    this.#engine.cache.stop();
    await this.#options.storage.volumes.stop();
    await this.#engine.status.stop();
  }

  /**
   * Stops the containers of all pods, each with the grace period and the hooks of its spec. The pods have not
   * ended: the next podkeep process starts them again. May be called only after `stop`. `remaining` is called
   * with the pods that still run, at the beginning and whenever one has stopped.
   */
  async stopContainers(
    signal: AbortSignal,
    remaining: (pods: readonly PodReference[]) => void = () => {},
  ): Promise<void> {
    await stopContainersOf(this.#engine, this.#options.log, signal, remaining);
    if (!signal.aborted) await this.#options.storage.volumes.unmountAll();
  }

  /** Terminates all pods as in a graceful node shutdown. From then on, the node admits no pod. */
  drain(): Promise<void> {
    return this.#shutdown.drain();
  }

  /** All pods except mirror pods, each with its newest status on this node. */
  podsWithStatus(): readonly Pod[] {
    return this.#engine.pods.pods().map((pod) => this.#withStatus(pod));
  }

  /** The pods with a running container, by their statuses. */
  runningPods(): readonly PodReference[] {
    return this.podsWithStatus().flatMap(({ metadata, status }) => {
      const { uid = '', name = '', namespace = '' } = metadata;
      const isRunning = status?.containerStatuses?.some(({ state }) => state?.running) ?? false;
      return isRunning ? [{ uid, name, namespace }] : [];
    });
  }

  findWithStatus(name: PodName): Pod | undefined {
    const pod = this.#engine.pods.findByName(name)?.pod;
    return pod && this.#withStatus(pod);
  }

  /** Undefined: this node has no such pod. The UID of a mirror pod means its static pod. */
  findPod(name: PodName, uid: string | null = null): Pod | undefined {
    const { pods } = this.#engine;
    const pod = pods.findByName(name)?.pod;
    return uid === null || pods.sourceUidOf(uid) === pod?.metadata.uid ? pod : undefined;
  }

  /** Whether the pod still has a pod worker, which may only be cleaning up. */
  hasWorker(uid: string): boolean {
    return this.#engine.workers.hasWorker(uid);
  }

  /** Settles when the containers of the pod have stopped, or that takes too long. */
  killPod(pod: Pod, options: KillPodOptions): Promise<void> {
    return this.#engine.workers.killPodNow(pod, options);
  }

  /** Stops a running container; its restart policy decides whether it starts again. False: it does not run. */
  stopContainer(pod: Pod, name: string, message: string, signal: AbortSignal): Promise<boolean> {
    return stopContainerOf(this.#engine, pod, name, message, signal);
  }

  /** Checks the runtime now instead of at the next regular check. */
  checkRuntime(): Promise<void> {
    return this.#engine.health.check();
  }

  /** The current health of the kubelet's loops. */
  loopFaults(): KubeletLoopFaults {
    const { cache, health } = this.#engine;
    return {
      ...this.#loops.faults(),
      podCache: cache.unhealthy(),
      runtimeDownForMs: health.downForMs(),
    };
  }

  /** The pods and statuses of this node, for queries to read and to follow. */
  get queried(): {
    readonly pods: QueriedPods;
    readonly status: QueriedStatuses & Pick<StatusManager, 'isAcknowledged'>;
  } {
    const { pods, status } = this.#engine;
    return { pods, status };
  }

  /** Why the node is not ready. Empty: it is ready. */
  notReadyReasons(): readonly string[] {
    return [...this.#engine.health.reasons(), ...this.#shutdown.reasons()];
  }

  #withStatus(pod: Pod): Pod {
    const status = this.#engine.status.getPodStatus(pod.metadata.uid ?? '');
    return status ? { ...pod, status } : pod;
  }

  #makeAllocations(): AllocationManager {
    const { clock, log, events, storage, node, metrics } = this.#options;
    const { pods, workers, status } = this.#engine;
    return new AllocationManager({
      clock,
      log,
      events,
      store: storage.allocated,
      node,
      observer: metrics.allocations,
      pods,
      status,
      activePods: () => activePods({ pods, workers, status }),
      killPod: (pod, options) => workers.killPodNow(pod, options),
      syncPod: (pod) => this.#syncLoop.sync(podReferenceOf(pod).uid),
      areSourcesReady: () => this.config.hasSeenAll,
      isShuttingDown: () => this.#shutdown.isShuttingDown,
    });
  }

  #makeShutdown(): NodeShutdownManager {
    const { clock, log, nodeEvents, metrics, storage, shutdown, settings = {} } = this.#options;
    const { pods, workers, status } = this.#engine;
    return new NodeShutdownManager({
      clock,
      log,
      nodeEvents,
      metrics: metrics.shutdown,
      ...shutdown,
      periods: settings.shutdownPeriods ?? [],
      pods,
      workers,
      status,
      volumes: storage.volumes,
      killPod: (pod, options) => workers.killPodNow(pod, options),
      changed: this.#options.readinessChanged,
    });
  }

  #makeAdmission(): NodeAdmission {
    const { api, nodeName, log, events, metrics } = this.#options;
    return new NodeAdmission({
      allocations: this.#allocations,
      status: this.#engine.status,
      events,
      log,
      podRejected: (reason) => metrics.admission.podRejected(reason),
      ...(api && { readNode: () => readAdmissionNode(api.kube, nodeName) }),
    });
  }

  #makeSyncLoop(): SyncLoop {
    const { clock, log } = this.#options;
    return new SyncLoop({
      clock,
      log,
      pods: this.#engine.pods,
      workers: this.#engine.workers,
      status: this.#engine.status,
      admission: this.#admission,
      areSourcesReady: () => this.config.hasSeenAll,
      refresh: async (uid) => {
        if (this.#engine.cache.uids().includes(uid)) await this.#engine.cache.relist(uid);
      },
      predecessorEnded: (pod) => this.#predecessorEnded(pod),
      mirrorSeen: (mirrorPod) => this.#engine.status.apiPodSeen(mirrorPod),
      evicted: (pod) => this.#loops.prune(pod, ''),
    });
  }

  async #predecessorEnded(pod: Pod): Promise<void> {
    const { clock, log } = this.#options;
    const { runtime, pods, waits } = this.#engine;
    const areSourcesReady = (): boolean => this.config.hasSeenAll;
    const deps = { clock, log, runtime, pods, areSourcesReady, waits };
    // Once the kubelet stops, no pod starts any more.
    await predecessorEnded(deps, pod, this.#abort.signal).catch(() => new Promise(() => {}));
  }

  #makeConfig(): PodConfig {
    const { clock, log, events, api, manifests } = this.#options;
    const sources = [...(api ? (['api'] as const) : []), ...(manifests ? (['file'] as const) : [])];
    return new PodConfig({
      clock,
      log,
      events,
      sources,
      notify: (update) => this.#syncLoop.handle(update),
    });
  }

  #follow(): void {
    const { prober: probes, status, cache } = this.#engine;
    this.#allocations.start();
    const requestSync = (uid: string): void => this.#syncLoop.sync(uid);
    const deadlines = new Deadlines({ clock: this.#options.clock, sync: requestSync });
    this.#endings.push(
      status.subscribe(this.#allocations),
      status.subscribe(probes),
      status.subscribe(deadlines),
      () => deadlines.stop(),
      followProbes({ probes, status, requestSync }),
      cache.subscribe((event) => this.#onLifecycle(event)),
    );
  }

  /** Handles an event of PLEG (KL-58). */
  #onLifecycle(event: LifecycleEvent): void {
    const { podUid, type, id } = event;
    if (type === 'ContainerRemoved' || type === 'ContainerChanged') return;
    this.#syncLoop.handleLifecycle(event);
    const pod = this.#engine.pods.find(podUid)?.pod;
    if (type !== 'ContainerDied' || !pod) return;
    const died = this.#engine.cache
      .peek(podUid)
      ?.containers.find((container) => container.id === id);
    if (died) this.#loops.prune(pod, died.name);
  }

  #startSources(): void {
    const { api, manifests, clock, log, nodeName } = this.#options;
    if (manifests) {
      const set = (pods: readonly Pod[]): void => this.config.set('file', pods);
      const source = new FileSource({ ...manifests, nodeName, clock, log, set });
      source.start();
      this.#endings.push(() => source.stop());
    }
    if (!api) return;
    const { startInformer } = api;
    const { startups } = this.#engine;
    const seen = (pod: Pod): void => {
      if (!isMirrorPod(pod)) startups.watched(pod);
      // The pod manager must know a mirror first: the sync loop passes it on (sync-loop.ts).
      if (!isMirrorPod(pod)) this.#engine.status.apiPodSeen(pod);
    };
    const gone = (pod: Pod): void => {
      startups.forget(pod.metadata.uid ?? '');
      this.#engine.status.apiPodGone(pod);
    };
    const options = { startInformer, nodeName, config: this.config, seen, gone };
    this.#endings.push(startApiSource(options));
  }
}
