/**
 * Evicts pods that use more local disk than their own limits allow
 * (localStorageCapacityIsolation of KubeletConfiguration).
 *
 *     every 10 s: pods with limits ──> measure ──> decide ──> Event, kill with 1 s of grace, status Failed
 *
 * Pods without such limits cost nothing: their specs are read once, and nothing of them is measured. The
 * runtime is asked only if a limit depends on writable layers.
 *
 * Invariants:
 *   1. A pod is checked while one of its containers runs, as in the kubelet: a pod in back-off waits.
 *   2. A pod is evicted once; if its containers do not stop in time, the next check evicts it again.
 *   3. What cannot be measured counts as nothing. A runtime that does not answer delays evictions and
 *      causes none.
 *   4. One pod that is slow to stop does not keep others from being checked.
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
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodDiskUsage } from '../../ports/pod-disk-usage.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { activePods, type ActivePodsRoom } from '../main-loop/active-pods.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { referenceOf } from '../pod-workers/update-options.ts';

export interface LocalStorageEvictionDeps extends ActivePodsRoom {
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly metrics: { podEvicted(signal: LocalStorageSignal): void };
  readonly runtime: Pick<PodRuntime, 'containerStats' | 'images'>;
  /** What was last seen of the pod in the runtime; null: that is not known now. */
  readonly peek: (podUid: string) => RuntimePod | null;
  /** Absent: the files of pods are on no disk. */
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

/** The kubelet's monitoring interval. */
const CHECK_MS = 10_000;

export class LocalStorageEviction {
  readonly #deps: LocalStorageEvictionDeps;
  /** By the pod as it came: a changed pod is another object. */
  readonly #limits = new WeakMap<Pod, { readonly limits: LocalStorageLimits | null }>();
  readonly #evicting = new Set<string>();
  /** Critical pods that are over a limit and were logged. */
  #spared: ReadonlySet<string> = new Set();
  #cancel: Cancel = () => {};
  #isStopped = false;
  /** Undefined: not known yet, which counts as dedicated. */
  #hasDedicatedImageFs: boolean | undefined;

  constructor(deps: LocalStorageEvictionDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#later();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#deps.disk?.stop();
  }

  /** Checks every pod once. Pods that are evicted go on stopping when this is done. */
  async check(): Promise<void> {
    const candidates = this.#candidates();
    const usages = await this.#measure(candidates);
    if (this.#isStopped) return;
    const spared = new Set<string>();
    for (const [index, { pod, uid, limits }] of candidates.entries()) {
      const usage = usages[index];
      const decision = usage && decideLocalStorageEviction(pod, limits, usage);
      if (decision?.action === 'evict') this.#evict(pod, uid, decision);
      if (decision?.action !== 'spare') continue;
      spared.add(uid);
      if (!this.#spared.has(uid)) this.#logSpared(pod, decision);
    }
    this.#spared = spared;
  }

  #later(): void {
    this.#cancel = this.#deps.clock.after(CHECK_MS, () => {
      void this.check()
        .catch((error: unknown) => {
          this.#deps.log.warn('failed to check local storage limits of pods', { error });
        })
        .then(() => {
          if (!this.#isStopped) this.#later();
        });
    });
  }

  #candidates(): readonly Candidate[] {
    const { pods, peek } = this.#deps;
    const limited = pods.pods().filter((pod) => this.#limitsOf(pod) !== null);
    return activePods({ ...this.#deps, pods: { pods: () => limited } }).flatMap((pod) => {
      const { uid = '' } = pod.metadata;
      const limits = this.#limitsOf(pod);
      const containers = peek(uid)?.containers ?? [];
      const running = containers.filter(({ state }) => state === 'running');
      if (!limits || running.length === 0 || this.#evicting.has(uid)) return [];
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
      // Also without any: what was measured before is forgotten then.
      this.#deps.disk?.measure(requests) ?? [],
      hasPodLimits ? this.#writableBytes() : new Map<string, number>(),
    ]);
    const hasDedicatedImageFs = hasPodLimits ? await this.#isImageFsDedicated() : false;
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
      log.debug('the runtime does not report the writable layers of containers', { error });
      return new Map();
    }
  }

  /** Found out once, as in the kubelet. A runtime that does not say where its images are shares the disk. */
  async #isImageFsDedicated(): Promise<boolean> {
    const { runtime, disk, log } = this.#deps;
    if (this.#hasDedicatedImageFs !== undefined) return this.#hasDedicatedImageFs;
    try {
      const usage = disk ? await runtime.images.usage() : null;
      this.#hasDedicatedImageFs = usage ? await disk?.isElsewhere(usage.mountpoint) : false;
    } catch (error) {
      log.debug('the file system of images could not be determined', { error });
    }
    return this.#hasDedicatedImageFs ?? true;
  }

  #evict(pod: Pod, uid: string, { signal, message }: EvictionDecision): void {
    const { log, events, killPod, metrics } = this.#deps;
    const reference = referenceOf(pod);
    events.record(reference, 'Warning', EVICTED, message);
    log.info('Evicting pod', { pod: reference, message });
    this.#evicting.add(uid);
    const killed = killPod(pod, {
      evict: true,
      graceSeconds: EVICTION_GRACE_SECONDS,
      overrideStatus: (status) => evictedStatus(status, message),
    });
    void killed
      .catch((error: unknown) => log.error('pod failed to evict', { pod: reference, error }))
      .finally(() => {
        this.#evicting.delete(uid);
        metrics.podEvicted(signal);
      });
  }

  #logSpared(pod: Pod, { message }: EvictionDecision): void {
    this.#deps.log.error('cannot evict a critical pod', { pod: referenceOf(pod), message });
  }
}
