/**
 * Builds and connects the parts of the kubelet that bring each pod to its desired state and report its
 * status.
 *
 *     workers ──> PodSync ──> runner ──> runtime
 *        ▲           └──> status manager ──> API
 *        └── pod cache, probes
 *
 * It does not know the pod sources: the sync loop passes their updates to the workers (kubelet.ts).
 */
import type { Pod } from '../api/pod.ts';
import type { PodRuntime } from '../ports/runtime/pod-runtime.ts';
import type { KubeletApi, KubeletOptions } from './kubelet-options.ts';
import { RuntimeHealth } from './sync-loop/runtime-health.ts';
import { Pleg } from './pleg/pleg.ts';
import { NodePodManager } from './pod-manager/pod-manager.ts';
import { PodRunner } from './containers/pod-runner.ts';
import { TerminationMessages } from './containers/start/termination-messages.ts';
import { timedRuntime } from './containers/timed-runtime.ts';
import { StartLimiter } from './sync-pod/start-limiter.ts';
import { KubeletPodSync, type KubeletPodSyncOptions } from './sync-pod/kubelet-pod-sync.ts';
import { PodWorkers } from './pod-workers/pod-workers.ts';
import { PodWaits } from './waiting/pod-waits.ts';
import { networkProbes } from './probes/probe-clients.ts';
import { ProbeManager } from './probes/probe-manager.ts';
import { StartupTracker } from './sync-pod/startup-tracker.ts';
import { StatusManager } from './status-manager/status-manager.ts';

export interface PodEngineOptions extends Omit<
  KubeletOptions,
  'api' | 'eviction' | 'node' | 'nodeName' | 'manifests'
> {
  /** Absent: a node without an API server, which runs static pods only. */
  readonly api?: Pick<KubeletApi, 'client'> | undefined;
  readonly mirrors: KubeletPodSyncOptions['mirrors'];
  /** The pod with its allocated resources (E-3). */
  readonly allocated: (pod: Pod) => Pod;
}

export class PodEngine {
  readonly pods = new NodePodManager();
  readonly runtime: PodRuntime;
  readonly health: RuntimeHealth;
  readonly cache: Pleg;
  readonly status: StatusManager;
  readonly prober: ProbeManager;
  readonly runner: PodRunner;
  readonly workers: PodWorkers;
  readonly startups: StartupTracker;
  /** Limits how many pods start at once; absent: no limit. */
  readonly starts: StartLimiter | undefined;
  readonly waits: PodWaits;
  readonly #options: PodEngineOptions;

  constructor(options: PodEngineOptions) {
    const { clock, log, settings = {}, storage } = options;
    this.#options = options;
    const { runtimeRequestTimeoutMs } = settings;
    const timed = { clock, observer: options.metrics.runtime };
    const { aroundRuntime = (timedOne) => timedOne } = options;
    this.runtime = aroundRuntime(timedRuntime(options.runtime, timed, runtimeRequestTimeoutMs));
    this.waits = new PodWaits({ clock, log, decisions: options.decisions });
    const { runtime, pods } = this;
    const { parallelStarts } = options.runtime;
    this.starts =
      parallelStarts === undefined ? undefined : new StartLimiter(clock, parallelStarts);
    const messages = new TerminationMessages({ runtime, files: storage.files, pods });
    const inspect = (uid: string) => messages.inspect(uid);
    this.cache = new Pleg({ clock, log, runtime, inspect, metrics: options.metrics.pleg });
    this.health = new RuntimeHealth({
      clock,
      log,
      runtime,
      cacheFault: () => this.cache.unhealthy(),
      changed: options.readinessChanged,
    });
    this.startups = new StartupTracker({ clock, metrics: options.metrics.podStarts });
    this.prober = this.#makeProber();
    this.status = this.#makeStatusManager();
    this.runner = this.#makeRunner();
    this.workers = this.#makeWorkers();
  }

  #makeProber(): ProbeManager {
    const { clock, random, log, events, probeMetrics: metrics } = this.#options;
    const { ask = networkProbes(clock, this.runtime) } = this.#options;
    const statusOf = (uid: string) => this.status.getPodStatus(uid);
    const waits = this.waits;
    return new ProbeManager({ clock, random, log, events, ask, metrics, statusOf, waits });
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
   * Until the first housekeeping, the pod workers answer yes for every pod that they do not know. But the
   * runtime was listed before any pod source started: if it has no sandbox and no container of the pod,
   * nothing runs. So a pod that is rejected right after the start is reported as Failed immediately.
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
    // A runtime without images needs no registry either.
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
      pulling: (uid) => this.startups.pulling(uid),
      waits: this.waits,
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
      waits: this.waits,
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
