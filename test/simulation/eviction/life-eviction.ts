/**
 * The eviction manager of one life of podkeep, with everything that it observes and does under the eyes of
 * the model: the real manager, the real reader of pods' usage and the real check of limits on a simulated
 * node.
 */
import type { Pod } from '../../../src/api/pod.ts';
import { parseEvictionSettings } from '../../../src/core/eviction/threshold-settings.ts';
import type { EvictionSignal } from '../../../src/core/eviction/eviction-signal.ts';
import type { Observation, Observations } from '../../../src/core/eviction/observation.ts';
import { EvictionManager } from '../../../src/kubelet/eviction/eviction-manager.ts';
import { LocalStorageEviction } from '../../../src/kubelet/eviction/local-storage-eviction.ts';
import { PodUsageReader } from '../../../src/kubelet/eviction/pod-usage-reader.ts';
import { activePods } from '../../../src/kubelet/pod-workers/active-pods.ts';
import type { KillPodOptions } from '../../../src/kubelet/pod-workers/kill-pod-now.ts';
import type { PodWorkers } from '../../../src/kubelet/pod-workers/pod-workers.ts';
import type { StatusManager } from '../../../src/kubelet/status-manager/status-manager.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { PodDiskUsage } from '../../../src/ports/pod/pod-disk-usage.ts';
import type { MemoryPodManager } from '../../support/memory-pod-manager.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { wait } from '../waits.ts';
import type { World } from '../world.ts';
import { EvictionModel } from './eviction-model.ts';
import { CAPACITIES, type Policy } from './eviction-policies.ts';
import { isAboveLimits } from './own-limits.ts';
import { DATA, traitsOf } from './pod-traits.ts';

export interface LifeEvictionDeps {
  readonly clock: Clock;
  readonly world: World;
  readonly pods: MemoryPodManager;
  readonly workers: PodWorkers;
  readonly status: StatusManager;
  readonly policy: Policy;
}

export class LifeEviction {
  readonly #deps: LifeEvictionDeps;
  readonly #manager: EvictionManager;
  readonly #limits: LocalStorageEviction;
  readonly #usage: PodUsageReader;
  readonly #model: EvictionModel;
  #isStarted = false;
  #observed = Promise.resolve();
  #shown: Observations = new Map();

  constructor(deps: LifeEvictionDeps) {
    this.#deps = deps;
    const { clock, world, workers, policy } = deps;
    const { journal, node } = world;
    const model = new EvictionModel({ clock, journal, layout: node.layout }, policy, (uid) =>
      workers.shouldPodBeFinished(uid),
    );
    this.#model = model;
    this.#limits = this.#createLimits();
    this.#usage = new PodUsageReader({ runtime: this.#runtime(), disk: this.#disk() });
    const { transitionMs, maxPodGraceSeconds } = policy;
    this.#manager = new EvictionManager({
      clock,
      log: silentLog,
      events: { record: () => {} },
      nodeEvents: { recordNode: (_type, _reason, message) => model.thresholdMet(message) },
      metrics: { podEvicted: () => {}, statsUsed: () => {} },
      observer: { observe: () => this.#observe(), layout: async () => node.layout },
      usage: {
        read: (pods, resource) => this.#read(pods, resource),
        release: () => this.#usage.release(),
        stop: () => this.#usage.stop(),
      },
      limits: { check: () => this.#checkLimits(), stop: () => this.#limits.stop() },
      activePods: () => activePods({ ...deps, pods: { pods: () => this.#pods() } }),
      reclaim: {
        containers: () => this.#reclaim('containers'),
        images: () => this.#reclaim('images'),
      },
      killPod: (pod, options) => this.#evict(pod, options),
      isCleanedUp: (uid) => workers.shouldPodBeFinished(uid),
      changed: () => {},
      settings: { thresholds: parseEvictionSettings(policy), transitionMs, maxPodGraceSeconds },
    });
  }

  /** Before pods are known. */
  observe(): void {
    this.#observed = this.#manager.observe();
  }

  start(): void {
    void this.#observed.then(() => {
      this.#isStarted = true;
      this.#manager.start();
    });
  }

  stop(): Promise<void> {
    return this.#manager.stop();
  }

  pressures(): ReadonlySet<string> {
    return this.#manager.pressures();
  }

  check(): void {
    this.#model.check(this.#manager.pressures());
  }

  async #observe(): Promise<Observations> {
    const { world, clock } = this.#deps;
    const { weather } = world;
    this.#model.asked();
    if (weather.strikes('node: is observed slowly')) {
      await wait(clock, weather.takesMs(10, 4000), new AbortController().signal);
    }
    if (weather.strikes('node: cannot be observed')) {
      this.#model.observed(null, this.#isStarted);
      throw new Error('the node cannot be observed');
    }
    const shown = new Map(
      Object.keys(CAPACITIES).flatMap((name) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
        const signal = name as EvictionSignal;
        const one = this.#observation(signal);
        return one ? [[signal, one] as const] : [];
      }),
    );
    this.#shown = shown;
    this.#model.observed(shown, this.#isStarted);
    return shown;
  }

  #observation(signal: EvictionSignal): Observation | null {
    const { world, clock } = this.#deps;
    const { weather, node } = world;
    if (weather.strikes('node: a signal is missing')) return null;
    const before = this.#shown.get(signal);
    if (before && weather.strikes('node: a signal was measured before')) return before;
    const atMs = weather.strikes('node: a signal has no time') ? null : clock.now();
    return { available: node.available(signal), capacity: CAPACITIES[signal] ?? 0, atMs };
  }

  async #reclaim(step: string): Promise<void> {
    const { weather, node } = this.#deps.world;
    this.#model.reclaims(step);
    if (weather.strikes('node: cannot reclaim')) throw new Error('images are in use');
    node.reclaim();
  }

  async #read(
    pods: readonly Pod[],
    resource: Parameters<PodUsageReader['read']>[1],
  ): ReturnType<PodUsageReader['read']> {
    const { weather, node } = this.#deps.world;
    if (weather.strikes('node: usage of pods is not known')) {
      this.#model.measured(null);
      throw new Error('the runtime does not answer');
    }
    const uses = pods.map((pod) => ({ pod, use: node.useOf(pod.metadata.uid ?? '') }));
    this.#model.measured(uses);
    return this.#usage.read(pods, resource);
  }

  async #evict(pod: Pod, options: KillPodOptions): Promise<void> {
    const { message = '' } = options.overrideStatus?.({}) ?? {};
    this.#model.evicts(pod, options.graceSeconds, message);
    try {
      await this.#kill(pod, options);
    } finally {
      this.#model.stopped();
    }
  }

  async #checkLimits(): ReturnType<LocalStorageEviction['check']> {
    const { weather } = this.#deps.world;
    const isBlind = weather.strikes('node: disks cannot be measured');
    const above = this.#pods().filter((pod) => this.#mustGo(pod));
    if (isBlind) {
      this.#model.limitsChecked([], null);
      throw new Error('disks cannot be measured');
    }
    const { pods, killed } = await this.#limits.check();
    await killed;
    const wanted = new Set(above.map(({ metadata }) => metadata.uid ?? ''));
    this.#model.limitsChecked(
      pods.map(({ metadata }) => metadata.uid ?? ''),
      wanted,
    );
    return { pods, killed };
  }

  /** Runs, is above its own limits, and nothing else ends it. */
  #mustGo(pod: Pod): boolean {
    const { world, workers, status } = this.#deps;
    const { uid = '' } = pod.metadata;
    const phases = new Set([pod.status?.phase, status.getPodStatus(uid)?.phase]);
    if (phases.has('Failed') || phases.has('Succeeded')) return false;
    if (workers.isPodTerminationRequested(uid) || workers.isPodKnownTerminated(uid)) return false;
    if (world.runtime.records.running(uid).length === 0) return false;
    return !traitsOf(pod).isCritical && isAboveLimits(pod, world.node);
  }

  #createLimits(): LocalStorageEviction {
    const { world, workers, status } = this.#deps;
    return new LocalStorageEviction({
      pods: { pods: () => this.#pods() },
      workers,
      status,
      log: silentLog,
      events: { record: () => {} },
      metrics: { podEvicted: () => {} },
      runtime: this.#runtime(),
      hasDedicatedImageFs: async () => world.node.layout !== 'single',
      peek: (uid) => world.runtime.records.look(uid),
      disk: this.#disk(),
      killPod: (pod, options) => {
        this.#model.evictsForLimits(pod, isAboveLimits(pod, world.node), options.graceSeconds);
        return this.#kill(pod, options);
      },
    });
  }

  #kill(pod: Pod, options: KillPodOptions): Promise<void> {
    const { world, workers, pods } = this.#deps;
    const { uid = '' } = pod.metadata;
    const isKnown = pods.find(uid) !== undefined && workers.couldHaveRunningContainers(uid);
    world.journal.notify('podkeep', `evicts ${uid} within ${options.graceSeconds} s`);
    world.kills.evicted(uid, isKnown && !workers.isPodTerminationRequested(uid));
    world.kills.began(uid);
    return workers.killPodNow(pod, options);
  }

  #pods(): readonly Pod[] {
    const { pods } = this.#deps;
    return pods.uids().flatMap((uid) => pods.find(uid)?.pod ?? []);
  }

  #runtime(): ConstructorParameters<typeof PodUsageReader>[0]['runtime'] {
    const { world, clock } = this.#deps;
    const { node } = world;
    const { records } = world.runtime;
    const uses = () => records.all().map(({ pod }) => ({ pod, use: node.useOf(pod.uid) }));
    return {
      list: async () => records.all().map(({ pod }) => ({ ...pod, pod: records.look(pod.uid) })),
      containerStats: async () =>
        uses().flatMap(({ pod, use }) =>
          (use?.containers ?? []).map(({ id, name, memory, rootfs }) => ({
            id,
            name,
            podUid: pod.uid,
            memory: { timeMs: clock.now(), workingSetBytes: memory },
            writableBytes: rootfs.bytes,
            writableInodes: rootfs.inodes,
          })),
        ),
      sandboxStats: async () =>
        uses().flatMap(({ pod, use }) =>
          use
            ? {
                podUid: pod.uid,
                memory: { timeMs: clock.now(), workingSetBytes: use.memory },
                processes: use.processes,
              }
            : [],
        ),
    };
  }

  #disk(): PodDiskUsage {
    const { node } = this.#deps.world;
    return {
      measure: async (requests) =>
        requests.map(({ pod, volumes, containers }) => {
          const use = node.useOf(pod.uid);
          const logs = (use?.containers ?? []).filter(({ name }) => containers.includes(name));
          const hasData = use && volumes.some(({ name }) => name === DATA);
          return {
            volumes: new Map(hasData ? [[DATA, use.volume.bytes]] : []),
            volumeInodes: new Map(hasData ? [[DATA, use.volume.inodes]] : []),
            logs: new Map(logs.map((one) => [one.name, one.logs.bytes])),
            logInodes: new Map(logs.map((one) => [one.name, one.logs.inodes])),
            otherBytes: 0,
          };
        }),
      isElsewhere: async () => false,
      stop: async () => {},
    };
  }
}
