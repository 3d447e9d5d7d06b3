/**
 * Evicts pods that use more local disk than their own limits allow (localStorageCapacityIsolation of
 * KubeletConfiguration).
 *
 *     pods with limits ──> measure ──> decide ──> Event, kill with 1 s of grace, status Failed
 *
 * The eviction manager calls this first in each of its rounds (eviction-manager.ts), and waits until the
 * evicted pods have stopped. Pods without such limits are not measured. The runtime is called only if a limit
 * depends on writable layers.
 *
 * Invariants:
 *   1. A pod is checked only while one of its containers runs, as in Kubernetes' kubelet.
 *   2. All pods above their limits are evicted together; one that does not stop in time is evicted again by
 *      the next check.
 *   3. Usage that cannot be measured counts as zero: a runtime that does not answer delays evictions, but
 *      never causes one.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import {
  decideLocalStorageEviction,
  EVICTED,
  evictedStatus,
  EVICTION_GRACE_SECONDS,
  type EvictionDecision,
  type LocalStorageSignal,
  type LocalStorageUsage,
} from '../../core/eviction/local-storage-decision.ts';
import {
  localStorageLimits,
  type LocalStorageLimits,
} from '../../core/eviction/local-storage-limits.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodDiskUsage } from '../../ports/pod/pod-disk-usage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { activePods, type ActivePodsDeps } from '../pod-workers/active-pods.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { referenceOf } from '../pod-workers/update-options.ts';

export interface LocalStorageEvictionDeps extends ActivePodsDeps {
  readonly log: Log;
  readonly events: EventRecorder;
  readonly metrics: { podEvicted(signal: LocalStorageSignal): void };
  readonly runtime: Pick<PodRuntime, 'containerStats'>;
  /** Images have their own file system. Determined by the eviction manager's observer. */
  readonly hasDedicatedImageFs: () => Promise<boolean>;
  /** The pod cache's state of the pod; null: it is not known now. */
  readonly peek: (podUid: string) => RuntimePod | null;
  /** Absent: the files of pods are not on a disk. */
  readonly disk?: PodDiskUsage | undefined;
  /** Settles when the containers of the pod have stopped, or that takes too long. */
  readonly killPod: (pod: Pod, options: KillPodOptions) => Promise<void>;
}

interface Candidate {
  readonly pod: Pod;
  readonly uid: string;
  readonly limits: LocalStorageLimits;
  readonly running: readonly { readonly id: string; readonly name: string }[];
}

export interface LocalStorageCheck {
  /** Those that were evicted. */
  readonly pods: readonly Pod[];
  /** Settles when their containers have stopped, or that takes too long. */
  readonly killed: Promise<unknown>;
}

export class LocalStorageEviction {
  readonly #deps: LocalStorageEvictionDeps;
  /** By the pod object: a changed pod is another object. */
  readonly #limits = new WeakMap<Pod, { readonly limits: LocalStorageLimits | null }>();
  /** Critical pods that are over a limit and were logged. */
  #spared: ReadonlySet<string> = new Set();
  #isStopped = false;

  constructor(deps: LocalStorageEvictionDeps) {
    this.#deps = deps;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#deps.disk?.stop();
  }

  /** Checks every pod once. */
  async check(): Promise<LocalStorageCheck> {
    const candidates = this.#candidates();
    const usages = await this.#measure(candidates);
    if (this.#isStopped) return { pods: [], killed: Promise.resolve() };
    const spared = new Set<string>();
    const evicted: { readonly pod: Pod; readonly killed: Promise<void> }[] = [];
    for (const [index, { pod, uid, limits }] of candidates.entries()) {
      const usage = usages[index];
      const decision = usage && decideLocalStorageEviction(pod, limits, usage);
      if (decision?.action === 'evict') evicted.push({ pod, killed: this.#evict(pod, decision) });
      if (decision?.action !== 'spare') continue;
      spared.add(uid);
      if (!this.#spared.has(uid)) this.#logSpared(pod, decision);
    }
    this.#spared = spared;
    return {
      pods: evicted.map(({ pod }) => pod),
      killed: Promise.all(evicted.map(({ killed }) => killed)),
    };
  }

  #candidates(): readonly Candidate[] {
    const { pods, peek } = this.#deps;
    const limited = pods.pods().filter((pod) => this.#limitsOf(pod) !== null);
    return activePods({ ...this.#deps, pods: { pods: () => limited } }).flatMap((pod) => {
      const { uid = '' } = pod.metadata;
      const limits = this.#limitsOf(pod);
      const containers = peek(uid)?.containers ?? [];
      const running = containers.filter(({ state }) => state === 'running');
      if (!limits || running.length === 0) return [];
      return [{ pod, uid, limits, running }];
    });
  }

  #limitsOf(pod: Pod): LocalStorageLimits | null {
    const known = this.#limits.get(pod);
    if (known) return known.limits;
    const limits = localStorageLimits(pod);
    this.#limits.set(pod, { limits });
    return limits;
  }

  /** In the order of the candidates. */
  async #measure(candidates: readonly Candidate[]): Promise<readonly LocalStorageUsage[]> {
    const hasPodLimits = candidates.some(({ limits }) => limits.pod !== null);
    const requests = candidates.map(({ pod, limits, running }) => ({
      pod: referenceOf(pod),
      volumes: limits.measured,
      containers: limits.pod === null ? [] : running.map(({ name }) => name),
    }));
    const [disk, writable] = await Promise.all([
      // Even without requests: then earlier measurements are forgotten.
      this.#deps.disk?.measure(requests) ?? [],
      hasPodLimits ? this.#writableBytes() : new Map<string, number>(),
    ]);
    const hasDedicatedImageFs = hasPodLimits ? await this.#deps.hasDedicatedImageFs() : false;
    return candidates.map(({ running }, index) => ({
      volumes: disk[index]?.volumes ?? new Map(),
      containers: running.map(({ id, name }) => ({
        name,
        logBytes: disk[index]?.logs.get(name) ?? 0,
        writableBytes: writable.get(id) ?? 0,
      })),
      otherBytes: disk[index]?.otherBytes ?? 0,
      hasDedicatedImageFs,
    }));
  }

  /** By the ID of the container. */
  async #writableBytes(): Promise<ReadonlyMap<string, number>> {
    const { runtime, log } = this.#deps;
    try {
      const stats = (await runtime.containerStats?.()) ?? [];
      return new Map(stats.map(({ id, writableBytes = 0 }) => [id, writableBytes]));
    } catch (error) {
      log.debug('Failed to get container stats; writable layers are not counted', { error });
      return new Map();
    }
  }

  async #evict(pod: Pod, { signal, message }: EvictionDecision): Promise<void> {
    const { log, events, killPod, metrics } = this.#deps;
    const reference = referenceOf(pod);
    events.record(reference, 'Warning', EVICTED, message);
    log.info('Evicting pod', { pod: reference, message });
    try {
      await killPod(pod, {
        evict: true,
        graceSeconds: EVICTION_GRACE_SECONDS,
        overrideStatus: (status) => evictedStatus(status, message),
      });
    } catch (error) {
      log.error('Eviction manager: pod failed to evict', { pod: reference, error });
    }
    metrics.podEvicted(signal);
  }

  #logSpared(pod: Pod, { message }: EvictionDecision): void {
    this.#deps.log.error('Eviction manager: cannot evict a critical pod', {
      pod: referenceOf(pod),
      message,
    });
  }
}
