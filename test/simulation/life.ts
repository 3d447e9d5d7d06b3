/**
 * One life of podkeep: its drivers, made anew from nothing but what the API, the manifests and the
 * runtime know.
 *
 * A crash drops it without ceremony: its timers never fire, answers to its requests never arrive, and
 * whatever it had asked of the API or of the runtime happens all the same. A stop is asked for and
 * waited for, as by a service manager.
 */
import { PodWorkers } from '../../src/kubelet/pod-workers/pod-workers.ts';
import { StatusManager } from '../../src/kubelet/status-manager/status-manager.ts';
import type { DecisionRecord } from '../../src/ports/decision-log.ts';
import { MemoryPodManager } from '../support/memory-pod-manager.ts';
import { silentLog, silentStatusObserver } from '../support/silent-ports.ts';
import { keepHouse, type HousekeepingOptions } from './housekeeping.ts';
import { Mirrors } from './mirrors.ts';
import { SimulatedPodCache } from './pod-cache.ts';
import { Prober, type ProbeChange } from './prober.ts';
import { callRuntime, type Gate } from './recipe-room.ts';
import { Recipes } from './recipes.ts';
import { Sources } from './sources.ts';
import { LifeClock } from './step-clock.ts';
import { tapApi } from './tapped-api.ts';
import type { Watch } from './watch.ts';
import { watchSync } from './watched-sync.ts';
import type { World } from './world.ts';

const HOUSEKEEPING_MS = 2000;
const RELIST_MS = 10_000;

/** Clocks by owner, so that what is left over at the end can be told apart. */
export class LifeClocks {
  readonly sources: LifeClock;
  readonly recipes: LifeClock;
  readonly workers: LifeClock;
  readonly status: LifeClock;

  constructor({ clock }: World) {
    this.sources = new LifeClock(clock);
    this.recipes = new LifeClock(clock);
    this.workers = new LifeClock(clock);
    this.status = new LifeClock(clock);
  }

  end(): void {
    for (const clock of [this.sources, this.recipes, this.workers, this.status]) clock.end();
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
  readonly #cache: SimulatedPodCache;
  readonly #housekeeping: HousekeepingOptions;
  readonly #newsDue = new Set<string>();
  #isAlive = true;
  #writing = '';

  constructor(world: World, settings: LifeSettings) {
    this.#world = world;
    const { runtime, health, weather, chronicle, api, volumes } = world;
    this.clocks = new LifeClocks(world);
    this.#cache = new SimulatedPodCache(this.clocks.recipes, runtime.records, weather);
    this.#cache.onLook = (uid) => world.work.looks(uid);
    this.prober = new Prober({
      clock: this.clocks.sources,
      pods: this.pods,
      runtime: runtime.records,
      health,
      chronicle,
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
    world.requests.lifeBegan(settings);
    this.watch = api.watch(this.clocks.sources, (event) => this.sources.hearApi(event));
    this.#begin();
  }

  /** The process dies. */
  crash(): void {
    this.#isAlive = false;
    this.clocks.end();
    this.#world.api.unwatch(this.watch);
  }

  /** The process is asked to end, and does. */
  async stop(): Promise<void> {
    this.#world.api.unwatch(this.watch);
    const closed = this.workers.close();
    this.clocks.sources.end();
    await closed;
    await this.status.stop();
    this.crash();
  }

  /** The runtime tells that something happened to a pod. The news takes a moment, or gets lost. */
  hearRuntime(uid: string): void {
    const { weather } = this.#world;
    if (this.#newsDue.has(uid) || weather.strikes('runtime: event is lost')) return;
    this.#newsDue.add(uid);
    this.clocks.sources.after(weather.takesMs(0, 30), () => {
      this.#newsDue.delete(uid);
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
    sources.after(weather.takesMs(1, 500), () => this.sources.readManifests(manifests.pods()));
    this.#every(HOUSEKEEPING_MS, () => keepHouse(this.#housekeeping));
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
    const { api, chronicle, requests, statuses, dice } = this.#world;
    const status = new StatusManager({
      ...settings,
      clock: this.clocks.status,
      random: dice,
      api: tapApi({
        api: api.connect(),
        gate: this.#gate,
        chronicle,
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
      // Asked for every pod that the workers are told of, which makes it a good place to listen.
      allocated: (pod) => {
        work.told(pod.metadata.uid ?? '', pod);
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
}
