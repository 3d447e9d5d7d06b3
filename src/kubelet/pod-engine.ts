/**
 * The engine of the kubelet: what brings one pod where it should be, and tells of it.
 *
 *     workers ──> PodSync ──> runner ──> runtime
 *        ▲           └──> status manager ──> API
 *        └── pod cache, probes
 *
 * It knows no sources of pods: whoever has news of them tells the workers (kubelet.ts).
 */
import type { Pod } from '../api/pod.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { KubeletOptions } from './kubelet-options.ts';
import { RuntimeHealth } from './main-loop/runtime-health.ts';
import { PodLifecycle } from './pleg/pod-lifecycle.ts';
import type { MirrorClient } from './pod-manager/mirror-pods.ts';
import { NodePodManager } from './pod-manager/pod-manager.ts';
import { PodRunner } from './pod-runner/pod-runner.ts';
import { TerminationMessages } from './pod-runner/termination-messages.ts';
import { timedRuntime } from './pod-runner/timed-runtime.ts';
import { StartLine } from './pod-sync/start-line.ts';
import { KubeletPodSync } from './pod-sync/kubelet-pod-sync.ts';
import { PodWorkers } from './pod-workers/pod-workers.ts';
import { networkProbes } from './probes/probe-clients.ts';
import { ProbeManager } from './probes/probe-manager.ts';
import { StatusManager } from './status-manager/status-manager.ts';

export interface PodEngineOptions extends KubeletOptions {
  readonly mirrors: MirrorClient | undefined;
  /** The pod with the resources that it was really given (E-3). */
  readonly allocated: (pod: Pod) => Pod;
}

export class PodEngine {
  readonly pods = new NodePodManager();
  readonly runtime: PodRuntime;
  readonly health: RuntimeHealth;
  readonly cache: PodLifecycle;
  readonly status: StatusManager;
  readonly prober: ProbeManager;
  readonly runner: PodRunner;
  readonly workers: PodWorkers;
  /** Absent: pods start as they come. */
  readonly starts: StartLine | undefined;
  readonly #options: PodEngineOptions;

  constructor(options: PodEngineOptions) {
    const { clock, log, settings = {}, storage } = options;
    this.#options = options;
    this.runtime = timedRuntime(options.runtime, clock, settings.runtimeRequestTimeoutMs);
    const { runtime, pods } = this;
    const { parallelStarts } = options.runtime;
    this.starts = parallelStarts === undefined ? undefined : new StartLine(clock, parallelStarts);
    const messages = new TerminationMessages({ runtime, files: storage.files, pods });
    const inspect = (uid: string) => messages.inspect(uid);
    this.cache = new PodLifecycle({ clock, log, runtime, inspect });
    this.health = new RuntimeHealth({
      clock,
      log,
      runtime,
      cacheFault: () => this.cache.unhealthy(),
      changed: options.readinessChanged,
    });
    this.prober = this.#makeProber();
    this.status = this.#makeStatusManager();
    this.runner = this.#makeRunner();
    this.workers = this.#makeWorkers();
  }

  #makeProber(): ProbeManager {
    const { clock, random, log, events, probeMetrics: metrics } = this.#options;
    const { ask = networkProbes(clock, this.runtime) } = this.#options;
    const statusOf = (uid: string) => this.status.getPodStatus(uid);
    return new ProbeManager({ clock, random, log, events, ask, metrics, statusOf });
  }

  #makeStatusManager(): StatusManager {
    const { clock, random, log, api, decisions, metrics, settings = {} } = this.#options;
    const { kubeApiQps: qps, kubeApiBurst: burst, statusWriteWindow: window } = settings;
    return new StatusManager({
      clock,
      random,
      log,
      decisions,
      api: api?.client,
      pods: this.pods,
      probes: this.prober,
      observer: metrics.status,
      isBusy: () => this.starts?.isBusy ?? false,
      aroundWrite: this.#options.aroundWrite,
      couldHaveRunningContainers: (_pod, uid) => this.#couldHaveRunningContainers(uid),
      ...(qps !== undefined && { qps }),
      ...(burst !== undefined && { burst }),
      ...(window !== undefined && { window }),
    });
  }

  /**
   * Until housekeeping has gone round once, the workers say yes for every pod that they do not know.
   * But the runtime was listed before any pod came in: where it has nothing, nothing runs. So a pod
   * that is turned away right after a start says at once that it failed.
   */
  #couldHaveRunningContainers(uid: string): boolean {
    const seen = this.cache.peek(uid);
    const hasNothing = seen !== null && seen.sandboxes.length + seen.containers.length === 0;
    if (hasNothing && !this.workers.hasWorker(uid)) return false;
    return this.workers.couldHaveRunningContainers(uid);
  }

  #makeRunner(): PodRunner {
    const { clock, log, events, storage, dns, memoryCapacityBytes, settings = {} } = this.#options;
    const { cgroups, runtimeClasses, nodeEvents, pullRecords } = this.#options;
    const { parallelPullsMax, crashBackOff, containers } = settings;
    // A runtime that has no images of its own asks no registry either.
    const registryPullQps = this.#options.runtime.usesPodCgroups ? settings.registryPullQps : 0;
    const { files, inputs, actuated, logLinks } = storage;
    return new PodRunner({
      clock,
      log,
      events,
      runtime: this.runtime,
      files,
      inputs,
      logLinks,
      actuated,
      dns,
      cgroups,
      runtimeClasses,
      nodeEvents,
      pullRecords,
      containers,
      registryPullQps,
      registryBurst: settings.registryBurst,
      memoryCapacityBytes,
      ...(parallelPullsMax !== undefined && { parallelPullsMax }),
      ...(crashBackOff !== undefined && { crashBackOff }),
    });
  }

  #makeWorkers(): PodWorkers {
    const { clock, random, log, events, decisions, metrics, settings = {} } = this.#options;
    const { aroundSync = (podSync) => podSync } = this.#options;
    return new PodWorkers({
      clock,
      random,
      log,
      events,
      decisions,
      podSync: aroundSync(this.#makeSync()),
      podCache: this.cache,
      observer: metrics.podWorkers,
      pods: this.pods,
      allocated: this.#options.allocated,
      ...(settings.syncFrequencyMs !== undefined && { resyncMs: settings.syncFrequencyMs }),
    });
  }

  #makeSync(): KubeletPodSync {
    const { clock, log, events, storage, hostIPs, metrics, cgroups } = this.#options;
    const { files, volumes, objects, pullSecrets, actuated } = storage;
    return new KubeletPodSync({
      clock,
      log,
      events,
      hostIPs,
      files,
      volumes,
      objects,
      pullSecrets,
      actuated,
      cgroups,
      runner: this.runner,
      cache: this.cache,
      status: this.status,
      prober: this.prober,
      mirrors: this.#options.mirrors,
      observer: metrics.podStarts,
      ...(this.starts && { starts: this.starts }),
      networkError: () => this.health.networkError(),
      supportsRecursiveReadOnly: () => this.health.features?.hasRecursiveReadOnly ?? false,
      isTerminationRequested: (uid) => this.workers.isPodTerminationRequested(uid),
      relist: (uid) => void this.cache.relist(uid),
      requestSync: (pod, mirrorPod) =>
        this.workers.updatePod({ updateType: 'update', pod, mirrorPod: mirrorPod ?? undefined }),
    });
  }
}
