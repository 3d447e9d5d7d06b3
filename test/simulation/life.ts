/**
 * One life of podkeep: its drivers, created from nothing but the state of the API, the manifests and the
 * runtime.
 *
 * A crash drops it without cleanup: its timers never fire, answers to its requests never arrive, and
 * whatever it had asked of the API or of the runtime happens all the same. A stop is requested and waited
 * for, as by a service manager.
 */
import { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
import { silentLog, silentStatusObserver } from '../support/silent-ports.ts';
import type { Policy } from './eviction/eviction-policies.ts';
import { LifeEviction } from './eviction/life-eviction.ts';
import { keepHouse, type HousekeepingOptions } from './housekeeping.ts';
import { Mirrors } from './mirrors.ts';
import { SimulatedPodCache } from './pod-cache.ts';
import { Prober, type ProbeChange } from './prober.ts';
import { callRuntime, type Gate } from './recipe-deps.ts';
import { Recipes } from './recipes.ts';
import { Sources } from './sources.ts';
import { LifeClock } from './step-clock.ts';
import { tapApi } from './tapped-api.ts';
import type { Watch } from './watch.ts';
import { watchSync } from './watched-sync.ts';
import type { World } from './world.ts';

const HOUSEKEEPING_MS = 2000;
const RELIST_MS = 10_000;

/** Clocks by owner, to see whose timers are left over at the end. */
export class LifeClocks {
  readonly sources: LifeClock;
  readonly recipes: LifeClock;
  readonly workers: LifeClock;
  readonly status: LifeClock;
  readonly eviction: LifeClock;

  constructor({ clock }: World) {
    this.sources = new LifeClock(clock);
    this.recipes = new LifeClock(clock);
    this.workers = new LifeClock(clock);
    this.status = new LifeClock(clock);
    this.eviction = new LifeClock(clock);
  }

  end(): void {
    const { sources, recipes, workers, status, eviction } = this;
    for (const clock of [sources, recipes, workers, status, eviction]) clock.end();
  }
}

export class Life {
  readonly #world: World;
  readonly clocks: LifeClocks;
  readonly pods = new MemoryPodManager();
  readonly prober: Prober;
  readonly status: StatusManager;
  readonly workers: PodWorkers;
  readonly sources: Sources;
  readonly watch: Watch;
  readonly eviction: LifeEviction;
  readonly #cache: SimulatedPodCache;
  readonly #housekeeping: HousekeepingOptions;
  readonly #updatesDue = new Set<string>();
  #isAlive = true;
  #writing = '';

  constructor(world: World, settings: LifeSettings) {
    this.#world = world;
    const { runtime, health, weather, journal, api, volumes } = world;
    this.clocks = new LifeClocks(world);
    this.#cache = new SimulatedPodCache(this.clocks.recipes, runtime.records, weather);
    this.#cache.onLook = (uid) => world.work.looks(uid);
    this.prober = new Prober({
      clock: this.clocks.sources,
      pods: this.pods,
      runtime: runtime.records,
      health,
      journal,
      isEnding: (uid) => this.workers.isPodTerminationRequested(uid),
      changed: (change) => this.#probed(change),
    });
    this.status = this.#makeStatusManager(settings);
    const mirrors = new Mirrors({
      api,
      weather,
      clock: this.clocks.recipes,
      newUid: (name) => world.newUid(`${name}-mirror`),
      seen: (name) => this.sources.shown(name),
    });
    this.workers = this.#makeWorkers(
      new Recipes({
        clock: this.clocks.recipes,
        runtime: callRuntime(runtime, this.#gate),
        volumes,
        status: this.status,
        cache: this.#cache,
        prober: this.prober,
        mirrors,
        weather,
        look: (uid) => this.#look(uid),
      }),
    );
    const { pods, workers, status } = this;
    this.sources = new Sources({
      pods,
      workers,
      status,
      weather,
      runtime: runtime.records,
      isCareful: world.isCareful,
    });
    this.#housekeeping = {
      pods,
      workers,
      status,
      sources: this.sources,
      mirrors,
      runtime: runtime.records,
      volumes,
      kills: world.kills,
      weather,
    };
    this.eviction = new LifeEviction({
      clock: this.clocks.eviction,
      world,
      pods,
      workers,
      status,
      policy: settings.eviction,
    });
    world.requests.lifeBegan(settings);
    this.watch = api.watch(this.clocks.sources, (event) => this.sources.hearApi(event));
    this.#begin();
  }

  /** The process crashes. */
  crash(): void {
    this.#isAlive = false;
    this.clocks.end();
    this.#world.api.unwatch(this.watch);
  }

  /** The process is asked to stop, and does. */
  async stop(): Promise<void> {
    this.#world.api.unwatch(this.watch);
    await this.eviction.stop();
    const closed = this.workers.close();
    this.clocks.sources.end();
    await closed;
    await this.status.stop();
    this.crash();
  }

  /** An event of the runtime about a pod. It takes a moment to arrive, or gets lost. */
  hearRuntime(uid: string): void {
    const { weather } = this.#world;
    if (this.#updatesDue.has(uid) || weather.strikes('runtime: event is lost')) return;
    this.#updatesDue.add(uid);
    this.clocks.sources.after(weather.takesMs(0, 30), () => {
      this.#updatesDue.delete(uid);
      this.#look(uid);
    });
  }

  readonly #gate: Gate = (answer) =>
    new Promise((resolve, reject) => {
      answer.then(
        (value) => this.#isAlive && resolve(value),
        (error: unknown) => this.#isAlive && reject(error),
      );
    });

  #begin(): void {
    const { sources } = this.clocks;
    const { weather, manifests } = this.#world;
    this.status.start();
    this.eviction.observe();
    sources.after(weather.takesMs(1, 500), () => this.sources.readManifests(manifests.pods()));
    this.#every(HOUSEKEEPING_MS, () => {
      keepHouse(this.#housekeeping);
      if (this.sources.areReady) this.eviction.start();
    });
    this.#every(RELIST_MS, () => {
      for (const uid of this.pods.uids()) this.#look(uid);
    });
  }

  #every(ms: number, act: () => void): void {
    this.clocks.sources.after(ms, () => {
      act();
      this.#every(ms, act);
    });
  }

  #look(uid: string): void {
    if (!this.#cache.refresh(uid)) return;
    const known = this.pods.find(uid);
    if (known) this.workers.updatePod({ updateType: 'sync', ...known });
  }

  #probed({ kind, uid, containerID, outcome }: ProbeChange): void {
    const isGood = outcome === 'success';
    if (kind === 'readiness') this.status.setContainerReadiness(uid, containerID, isGood);
    if (kind === 'startup') this.status.setContainerStartup(uid, containerID, isGood);
    const known = this.pods.find(uid);
    if (known) this.workers.updatePod({ updateType: 'sync', ...known });
  }

  #makeStatusManager(settings: LifeSettings): StatusManager {
    const { api, journal, requests, statuses, dice } = this.#world;
    const status = new StatusManager({
      ...settings,
      clock: this.clocks.status,
      random: dice,
      api: tapApi({
        api: api.connect(),
        gate: this.#gate,
        journal,
        requests,
        statuses,
        writing: () => this.#writing,
      }),
      pods: this.pods,
      probes: { of: (uid) => this.prober.of(uid) },
      decisions: { record: (record) => this.#decided(record) },
      log: silentLog,
      observer: silentStatusObserver,
      couldHaveRunningContainers: (_pod, uid) => this.workers.couldHaveRunningContainers(uid),
    });
    status.subscribe({
      podUpdated: (pod, stored) => statuses.accepted(pod, stored),
      podRemoved: (pod) => statuses.accepted(pod, pod.status ?? {}),
    });
    return status;
  }

  #makeWorkers(recipes: Recipes): PodWorkers {
    const { work, dice } = this.#world;
    return new PodWorkers({
      clock: this.clocks.workers,
      random: dice,
      pods: this.pods,
      podCache: this.#cache,
      podSync: watchSync(recipes, work),
      events: { record: () => {} },
      decisions: { record: (record) => this.#decided(record) },
      observer: { podStarted: () => {}, turnEnded: () => {}, wakeScheduled: () => {} },
      // Called for every pod that the workers get, so the model can observe them here.
      allocated: (pod) => {
        work.notified(pod.metadata.uid ?? '', pod);
        return pod;
      },
      log: silentLog,
    });
  }

  #decided(record: DecisionRecord): void {
    if (record.machine === 'status-write' && record.to === 'busy') this.#writing = record.pod.uid;
    this.#world.decided(record);
  }
}

/** How a podkeep is configured; each life may differ. */
export interface LifeSettings {
  readonly window: number;
  readonly qps: number;
  readonly burst: number;
  readonly requestTimeoutMs: number;
  readonly eviction: Policy;
}
