/**
 * The kubelet: every room of it joined, and the loop between them (KL-55 to KL-65).
 *
 *     sources ──> PodNews ──> workers ──> PodSync ──> runner ──> runtime
 *                               ▲  ▲                                │
 *                     probes ───┘  └──── pod cache <────────────────┘
 *                        │                   │
 *                        └──> status manager <┘ ──> API
 *
 * There is no loop that polls: whoever has news calls whoever is concerned. What could be missed, or
 * is nobody's, is found by housekeeping every two seconds.
 *
 *     start   the runtime is looked at ──> sources begin ──> pods come in
 *     stop    nothing new is begun, what is under way is cancelled; containers go on
 */
import type { Pod } from '../api/pod.ts';
import { isMirrorPod } from '../core/pod-facts.ts';
import { LocalStorageEviction } from './eviction/local-storage-eviction.ts';
import { Deadlines } from './main-loop/deadlines.ts';
import { Housekeeping } from './main-loop/housekeeping.ts';
import { ImageCollector } from './images/image-collector.ts';
import { PodNews } from './main-loop/pod-news.ts';
import { predecessorEnded } from './main-loop/predecessor.ts';
import type { AdmissionRoom, KubeletAdmission, KubeletOptions } from './kubelet-options.ts';
import type { LifecycleEvent } from './pleg/lifecycle-event.ts';
import { PodEngine } from './pod-engine.ts';
import { MirrorClient } from './pod-manager/mirror-pods.ts';
import { ContainerCollector } from './pod-runner/container-collector.ts';
import { LogRotation } from './pod-runner/log-rotation.ts';
import { podReferenceOf } from './pod-runner/run-spec.ts';
import { followProbes } from './probes/probe-sync.ts';
import { startApiSource } from './sources/api-source.ts';
import { FileSource } from './sources/file-source.ts';
import { PodConfig } from './sources/pod-config.ts';
import type { PodName } from '../ports/api-client.ts';
import type { Cancel } from '../ports/clock.ts';

/** How often what dead containers leave behind is looked through. */
const COLLECT_MS = 60_000;

export class Kubelet {
  readonly engine: PodEngine;
  readonly config: PodConfig;
  readonly #options: KubeletOptions;
  readonly #admission: KubeletAdmission;
  readonly #mirrors: MirrorClient | undefined;
  readonly #news: PodNews;
  readonly #housekeeping: Housekeeping;
  readonly #collector: ContainerCollector;
  readonly #rotation: LogRotation;
  readonly #imageCollector: ImageCollector | undefined;
  readonly #storageEviction: LocalStorageEviction | undefined;
  readonly #abort = new AbortController();
  readonly #endings: (() => void)[] = [];
  #prepared: Promise<void> | undefined;
  #cancelCollect: Cancel = () => {};

  constructor(options: KubeletOptions) {
    const { log, api, nodeName } = options;
    this.#options = options;
    this.#mirrors = api && new MirrorClient({ api: api.kube, log, nodeName });
    const allocated = (pod: Pod): Pod => this.#admission.allocated(pod);
    this.engine = new PodEngine({ ...options, mirrors: this.#mirrors, allocated });
    this.#admission = options.admission(this.#admissionRoom());
    this.#news = this.#makeNews();
    this.config = this.#makeConfig();
    this.#housekeeping = this.#makeHousekeeping();
    this.#collector = this.#makeCollector();
    this.#rotation = this.#makeRotation();
    this.#imageCollector = this.#makeImageCollector();
    this.#storageEviction = this.#makeStorageEviction();
  }

  /**
   * Resolves when the runtime was seen: from then on it is known whether the node is ready, and it can
   * be registered as what it is.
   */
  prepare(): Promise<void> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  async #prepare(): Promise<void> {
    await this.engine.health.start();
    this.#follow();
    this.engine.cache.start();
    await Promise.race([this.engine.cache.listed, aborted(this.#abort.signal)]);
  }

  /**
   * Resolves when pods come in. What the runtime has is seen before any source speaks: otherwise a pod
   * that ended could be taken for one that nothing of is left.
   */
  async start(): Promise<void> {
    const { log } = this.#options;
    await this.prepare();
    if (this.#abort.signal.aborted) return;
    this.engine.status.start();
    this.#startSources();
    this.#housekeeping.start();
    if (!this.#options.storage.isImagined) this.#rotation.start();
    this.#collectLater();
    this.#imageCollector?.start();
    this.#storageEviction?.start();
    log.debug('the kubelet takes pods', { node: this.#options.nodeName });
  }

  /** Nothing is begun any more. Containers go on; the next podkeep adopts them. */
  async stop(): Promise<void> {
    this.#abort.abort();
    for (const end of this.#endings.splice(0)) end();
    this.#cancelCollect();
    this.#rotation.stop();
    this.#imageCollector?.stop();
    this.#admission.stop();
    this.engine.prober.stop();
    this.engine.health.stop();
    await this.#storageEviction?.stop();
    await this.#housekeeping.stop();
    await this.engine.workers.close();
    this.engine.cache.stop();
    await this.#options.storage.volumes.stop();
    await this.engine.status.stop();
  }

  /**
   * Stops the containers of all pods, each with the grace and the hooks of its spec. The pods are not
   * over: the next podkeep starts them again. Only after `stop`.
   */
  async stopContainers(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const listed = await this.engine.runtime.list();
    const work = listed.map(async ({ uid, name, namespace, pod: runtimePod }) => {
      const reference = { uid, name, namespace };
      const pod = this.engine.pods.find(uid)?.pod ?? null;
      try {
        await this.engine.runner.stopPod({ reference, pod }, runtimePod, pod ? null : 1, signal);
      } catch (error) {
        if (!signal.aborted) log.warn('a pod could not be stopped', { pod: reference, error });
      }
    });
    await Promise.all(work);
    if (!signal.aborted) await this.#options.storage.volumes.unmountAll();
  }

  /** All but mirrors, each with the newest status that this node knows. */
  podsWithStatus(): readonly Pod[] {
    return this.engine.pods.pods().map((pod) => this.#withStatus(pod));
  }

  findWithStatus(name: PodName): Pod | undefined {
    const pod = this.engine.pods.findByName(name)?.pod;
    return pod && this.#withStatus(pod);
  }

  /** Null: the kubelet goes about its work. Otherwise what it hangs at. */
  health(): string | null {
    return this.#housekeeping.unhealthy();
  }

  /** Why the node is not ready; empty: it is. */
  notReadyReasons(): readonly string[] {
    return this.engine.health.reasons();
  }

  #withStatus(pod: Pod): Pod {
    const status = this.engine.status.getPodStatus(pod.metadata.uid ?? '');
    return status ? { ...pod, status } : pod;
  }

  #makeNews(): PodNews {
    const { clock, log } = this.#options;
    return new PodNews({
      clock,
      log,
      pods: this.engine.pods,
      workers: this.engine.workers,
      status: this.engine.status,
      admission: this.#admission,
      areSourcesReady: () => this.config.hasSeenAll,
      refresh: async (uid) => {
        if (this.engine.cache.uids().includes(uid)) await this.engine.cache.relist(uid);
      },
      predecessorEnded: (pod) => this.#predecessorEnded(pod),
      mirrorSeen: (mirrorPod) => this.engine.status.apiPodSeen(mirrorPod),
      evicted: (pod) => this.#prune(pod, ''),
    });
  }

  async #predecessorEnded(pod: Pod): Promise<void> {
    const { clock, log } = this.#options;
    const { runtime, pods } = this.engine;
    const areSourcesReady = (): boolean => this.config.hasSeenAll;
    const room = { clock, log, runtime, pods, areSourcesReady };
    // Once the kubelet stops, nobody begins any more.
    await predecessorEnded(room, pod, this.#abort.signal).catch(() => new Promise(() => {}));
  }

  #makeConfig(): PodConfig {
    const { clock, log, events, api, manifests } = this.#options;
    const sources = [...(api ? (['api'] as const) : []), ...(manifests ? (['file'] as const) : [])];
    return new PodConfig({
      clock,
      log,
      events,
      sources,
      tell: (update) => this.#news.tell(update),
    });
  }

  #makeHousekeeping(): Housekeeping {
    const { clock, log, metrics, storage, cgroups } = this.#options;
    return new Housekeeping({
      clock,
      log,
      runtime: this.engine.runtime,
      pods: this.engine.pods,
      workers: this.engine.workers,
      prober: this.engine.prober,
      status: this.engine.status,
      volumes: storage.volumes,
      cgroups,
      runner: this.engine.runner,
      metrics: metrics.housekeeping,
      mirrors: this.#mirrors,
      keepGrants: async (uids) => {
        this.#admission.keepOnly(uids);
        await storage.actuated.removeOrphanedPods(uids);
      },
      areSourcesReady: () => this.config.hasSeenAll,
      isEntering: (uid) => this.#news.isEntering(uid),
    });
  }

  #makeCollector(): ContainerCollector {
    const { clock, log, storage } = this.#options;
    const { runtime, runner, workers: pods } = this.engine;
    const { files, logLinks } = storage;
    const isTold = (uid: string): boolean => this.engine.status.isTold(uid);
    return new ContainerCollector({ clock, log, runtime, runner, pods, files, logLinks, isTold });
  }

  #makeRotation(): LogRotation {
    const { clock, log, storage, settings = {} } = this.#options;
    const { containerLogMaxBytes: maxBytes, containerLogMaxFiles: maxFiles } = settings;
    const { containerLogRotationMs: everyMs } = settings;
    return new LogRotation({
      clock,
      log,
      runtime: this.engine.runtime,
      files: storage.files,
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxFiles !== undefined && { maxFiles }),
      ...(everyMs !== undefined && { everyMs }),
    });
  }

  #makeImageCollector(): ImageCollector | undefined {
    const { clock, log, nodeEvents: events, pullRecords, settings = {} } = this.#options;
    const { images: policy } = settings;
    const { runtime } = this.engine;
    const collected = pullRecords && ((refs: ReadonlySet<string>) => pullRecords.keepOnly(refs));
    return policy && new ImageCollector({ clock, log, events, policy, runtime, collected });
  }

  /** Undefined: limits on local storage are switched off. */
  #makeStorageEviction(): LocalStorageEviction | undefined {
    const { clock, log, events, metrics, storage, settings = {} } = this.#options;
    if (settings.localStorageCapacityIsolation === false) return undefined;
    const { pods, workers, status, runtime, cache } = this.engine;
    return new LocalStorageEviction({
      clock,
      log,
      events,
      metrics: metrics.evictions,
      pods,
      workers,
      status,
      runtime,
      disk: storage.disk,
      peek: (uid) => cache.peek(uid),
      killPod: (pod, options) => workers.killPodNow(pod, options),
    });
  }

  #admissionRoom(): AdmissionRoom {
    const { pods, workers, status } = this.engine;
    return {
      pods,
      workers,
      status,
      sync: (uid) => this.#news.sync(uid),
      killPod: (pod, options) => workers.killPodNow(pod, options),
      areSourcesReady: () => this.config.hasSeenAll,
    };
  }

  #follow(): void {
    const { prober: probes, status, cache } = this.engine;
    const requestSync = (uid: string): void => this.#news.sync(uid);
    const deadlines = new Deadlines({ clock: this.#options.clock, sync: requestSync });
    this.#endings.push(
      status.subscribe(probes),
      status.subscribe(deadlines),
      () => deadlines.stop(),
      followProbes({ probes, status, requestSync }),
      cache.subscribe((event) => this.#onLifecycle(event)),
    );
  }

  /** News of the runtime (KL-58). */
  #onLifecycle({ podUid, type, id }: LifecycleEvent): void {
    if (type === 'ContainerRemoved' || type === 'ContainerChanged') return;
    this.#news.sync(podUid);
    const pod = this.engine.pods.find(podUid)?.pod;
    if (type !== 'ContainerDied' || !pod) return;
    const died = this.engine.cache
      .peek(podUid)
      ?.containers.find((container) => container.id === id);
    if (died) this.#prune(pod, died.name);
  }

  #prune(pod: Pod, container: string): void {
    const { log } = this.#options;
    const { signal } = this.#abort;
    this.#collector.prunePod(podReferenceOf(pod), container, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn('dead containers could not be removed', { error });
    });
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
    const seen = (pod: Pod): void => {
      // A mirror means nothing before it is known whose it is (pod-news.ts).
      if (!isMirrorPod(pod)) this.engine.status.apiPodSeen(pod);
    };
    const gone = (pod: Pod): void => this.engine.status.apiPodGone(pod);
    const options = { startInformer, nodeName, config: this.config, seen, gone };
    this.#endings.push(startApiSource(options));
  }

  #collectLater(): void {
    const { clock } = this.#options;
    this.#cancelCollect = clock.after(COLLECT_MS, () => {
      const areSourcesReady = this.config.hasSeenAll;
      void this.#collector
        .collect({ areSourcesReady }, this.#abort.signal)
        .catch(() => {})
        .finally(() => {
          if (!this.#abort.signal.aborted) this.#collectLater();
        });
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
