/**
 * Puts right what news alone cannot (KL-64): every two seconds what should be here, what the workers
 * know and what the runtime has are held against each other.
 *
 *     desired, without a worker     ──> a worker (its UID was used before, F-14)
 *     a worker, not desired         ──> ended and forgotten (PW-65 to PW-68)
 *     in the runtime, nobody's      ──> killed
 *     to be deleted, and over       ──> its worker lets it go
 *     probes, statuses, grants, folders and mirrors of what is gone ──> removed
 *
 * It runs beside everything else, one turn at a time: what a turn waits for holds up nobody (F-20).
 * Before all sources of pods have spoken nothing is done at all.
 *
 * Desired pods get their workers before strangers in the runtime are killed: a static pod that came
 * back under its old UID is one of the first kind, and its containers are not strangers (KL-65).
 */
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted, isStaticPod, isTerminalPhase } from '../../core/pod-facts.ts';
import type { Summary } from '../../core/pod-worker/query.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodVolumes } from '../../ports/pod-volumes.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { HousekeepingMetrics, PodCounts } from '../metrics/housekeeping-metrics.ts';
import type { MirrorClient } from '../pod-manager/mirror-pods.ts';
import { fullNameOf, type NodePodManager } from '../pod-manager/pod-manager.ts';
import type { PodRunner } from '../pod-runner/pod-runner.ts';
import type { PodWorkers } from '../pod-workers/pod-workers.ts';
import type { ProbeManager } from '../probes/probe-manager.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';
import type { KubeletCgroups } from '../kubelet-options.ts';
import type { VolumeManager } from '../volumes/volume-manager.ts';
import { isActive } from './active-pods.ts';

export interface HousekeepingRoom {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list'>;
  readonly pods: NodePodManager;
  readonly workers: PodWorkers;
  readonly prober: Pick<ProbeManager, 'cleanUp'>;
  readonly status: Pick<StatusManager, 'removeOrphanedStatuses' | 'getPodStatus'>;
  readonly volumes: Pick<VolumeManager, 'removeOrphans'> & Pick<PodVolumes, 'volumesExist'>;
  /** Absent: pods have no control groups of their own here. */
  readonly cgroups?: Pick<KubeletCgroups, 'share' | 'removeOrphans'> | undefined;
  readonly runner: Pick<PodRunner, 'collectGarbage'>;
  readonly metrics: HousekeepingMetrics;
  /** Absent: there is no API server, and so no mirrors. */
  readonly mirrors?: Pick<MirrorClient, 'delete'> | undefined;
  /** Forgets the grants of all pods but these. */
  readonly keepGrants: (uids: ReadonlySet<string>) => Promise<void>;
  readonly areSourcesReady: () => boolean;
  /** Its worker comes as soon as its grant is on disk. */
  readonly isEntering: (uid: string) => boolean;
}

type Known = Map<string, Summary>;

const PERIOD_MS = 2000;
const SLOW_MS = 1000;
const HUNG_MS = 300_000;
const ORPHAN_GRACE_SECONDS = 1;

export class Housekeeping {
  readonly #room: HousekeepingRoom;
  readonly #abort = new AbortController();
  #cancel: Cancel = () => {};
  #turn: Promise<void> = Promise.resolve();
  /** When the last turn ended, by the clock's `monotonic`. */
  #turnedAtMs: number | null = null;

  constructor(room: HousekeepingRoom) {
    this.#room = room;
  }

  start(): void {
    this.#turnedAtMs ??= this.#room.clock.monotonic();
    this.#cancel = this.#room.clock.after(PERIOD_MS, () => {
      this.#turn = this.keepHouse().finally(() => {
        this.#turnedAtMs = this.#room.clock.monotonic();
        if (!this.#abort.signal.aborted) this.start();
      });
    });
  }

  /** Resolves when the turn that is under way has ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#cancel();
    await this.#turn;
  }

  /** Null: it goes round. Otherwise since when it hangs (KL-55). */
  unhealthy(): string | null {
    if (this.#turnedAtMs === null) return null;
    const silentMs = this.#room.clock.monotonic() - this.#turnedAtMs;
    if (silentMs <= HUNG_MS) return null;
    return `sync Loop took longer than expected: last activity ${Math.round(silentMs / 1000)}s ago`;
  }

  /** One turn. It never rejects. */
  async keepHouse(): Promise<void> {
    const { clock, log, areSourcesReady } = this.#room;
    if (!areSourcesReady()) return;
    const beganAtMs = clock.monotonic();
    try {
      await this.#work();
    } catch (error) {
      if (!this.#abort.signal.aborted)
        log.error('housekeeping failed; it is tried again', { error });
    }
    const tookMs = clock.monotonic() - beganAtMs;
    if (tookMs > SLOW_MS) log.warn('housekeeping took long', { ms: Math.round(tookMs) });
  }

  async #work(): Promise<void> {
    const { pods, workers, runtime, runner, metrics } = this.#room;
    const known = new Map(workers.syncKnownPods(pods.pods()));
    const listed = await runtime.list();
    if (this.#abort.signal.aborted) return;
    // The world has moved on while the runtime was asked; what is desired is read anew.
    const desired = pods.pods();
    const running = listed.filter(isRunning);
    this.#forgetTheGone(desired, known, running);
    await this.#removeOrphanedFolders(desired, known, listed);
    await this.#removeOrphanedMirrors();
    if (this.#abort.signal.aborted) return;
    this.#count(desired);
    this.#restart(known);
    this.#letGo(known, running);
    this.#killStrangers(known, running);
    metrics.workersCounted(known.values());
    await this.#keepCgroups(known, running);
    runner.collectGarbage();
  }

  #forgetTheGone(desired: readonly Pod[], known: Known, running: readonly RuntimePodEntry[]): void {
    const { pods, prober, status, keepGrants, log, isEntering } = this.#room;
    const mayRun = new Set(running.map(({ uid }) => uid));
    for (const [uid, { state }] of known) if (state !== 'terminated') mayRun.add(uid);
    prober.cleanUp(mayRun);
    const uids = new Set(desired.map(uidOf));
    status.removeOrphanedStatuses(new Set([...uids, ...pods.mirrorPods().map(uidOf)]));
    for (const uid of known.keys()) uids.add(uid);
    const kept = new Set([...uids].filter((uid) => known.has(uid) || isEntering(uid)));
    for (const pod of desired) if (isActive(this.#room, pod)) kept.add(uidOf(pod));
    keepGrants(kept).catch((error: unknown) => {
      log.warn('grants of pods that are gone could not be removed', { error });
    });
  }

  async #removeOrphanedFolders(
    desired: readonly Pod[],
    known: Known,
    listed: readonly RuntimePodEntry[],
  ): Promise<void> {
    const running = listed.filter(isRunning).map(({ uid }) => uid);
    await this.#room.volumes.removeOrphans(
      new Set([...desired.map(uidOf), ...known.keys(), ...running]),
    );
  }

  /** One that came while this turn went on has its worker by now, and keeps its group. */
  async #keepCgroups(known: Known, running: readonly RuntimePodEntry[]): Promise<void> {
    const { cgroups, pods, volumes, log } = this.#room;
    if (!cgroups) return;
    const desired = pods.pods();
    try {
      await cgroups.share(desired.filter((pod) => isActive(this.#room, pod)));
      const uids = [...desired.map(uidOf), ...known.keys(), ...running.map(({ uid }) => uid)];
      await cgroups.removeOrphans(new Set(uids), async (uid) => volumes.volumesExist(uid));
    } catch (error) {
      log.warn('control groups of pods could not be kept in order', { error });
    }
  }

  /** A mirror stays until its static pod has ended, so that people see it end (PW-77). */
  async #removeOrphanedMirrors(): Promise<void> {
    const { pods, workers, mirrors } = this.#room;
    if (!mirrors) return;
    for (const mirror of pods.orphanedMirrors()) {
      if (workers.isPodForMirrorPodTerminatingByFullName(fullNameOf(mirror))) continue;
      const { name = '', namespace = '' } = mirror.metadata;
      await mirrors.delete({ name, namespace }, null, this.#abort.signal);
    }
  }

  #count(desired: readonly Pod[]): void {
    const { pods, metrics } = this.#room;
    metrics.podsCounted({
      desired: countsOf(desired),
      active: countsOf(desired.filter((pod) => isActive(this.#room, pod))),
      mirrorPods: pods.mirrorPods().length,
    });
  }

  /** A pod that is desired, and whose worker was forgotten with the one that had its UID before. */
  #restart(known: Known): void {
    const { pods, workers, metrics, log, isEntering } = this.#room;
    const restarted = pods
      .pods()
      .filter((pod) => !known.has(uidOf(pod)) && isActive(this.#room, pod))
      .filter((pod) => !isEntering(uidOf(pod)) && !workers.hasWorker(uidOf(pod)));
    for (const pod of restarted) {
      const uid = uidOf(pod);
      log.info('a pod came back under the UID of one that ended; it starts again', { pod: uid });
      const { mirrorPod } = pods.find(uid) ?? {};
      workers.updatePod({ updateType: 'create', pod, mirrorPod });
      known.set(uid, { state: 'sync', orphan: false, hasConfig: true, static: isStaticPod(pod) });
    }
    metrics.podsRestarted(countsOf(restarted));
  }

  /** Pods that were turned away, or ended under an earlier podkeep: only their worker deletes them. */
  #letGo(known: Known, running: readonly RuntimePodEntry[]): void {
    const { pods, workers } = this.#room;
    const busy = new Set(running.map(({ uid }) => uid));
    for (const pod of pods.pods()) {
      const uid = uidOf(pod);
      if (!isBeingDeleted(pod) || known.has(uid) || busy.has(uid)) continue;
      if (!this.#isOver(pod) || workers.hasWorker(uid)) continue;
      workers.updatePod({ updateType: 'kill', pod });
    }
  }

  #isOver(pod: Pod): boolean {
    const { phase } = pod.status ?? {};
    return (
      isTerminalPhase(phase) || isTerminalPhase(this.#room.status.getPodStatus(uidOf(pod))?.phase)
    );
  }

  #killStrangers(known: Known, running: readonly RuntimePodEntry[]): void {
    const { workers, metrics, log, isEntering } = this.#room;
    let orphans = 0;
    for (const { uid, name, namespace } of running) {
      // One that came after the workers were asked is known to them by now.
      if (known.has(uid) || isEntering(uid) || workers.hasWorker(uid)) continue;
      orphans += 1;
      log.info('a pod runs here that nobody asked for; it is ended', { pod: { uid, name } });
      const kill = { graceSeconds: ORPHAN_GRACE_SECONDS };
      workers.updatePod({ updateType: 'kill', runningPod: { uid, name, namespace }, kill });
      known.set(uid, { state: 'terminating', orphan: true, hasConfig: false, static: false });
    }
    metrics.orphansFound(orphans);
  }
}

/** Whether the runtime has something of the pod that is not over. */
export function isRunning({ pod }: RuntimePodEntry): boolean {
  return (
    pod.sandboxes.some(({ ready }) => ready) ||
    pod.containers.some(({ state }) => state === 'running')
  );
}

function countsOf(pods: readonly Pod[]): PodCounts {
  const fromManifests = pods.filter(isStaticPod).length;
  return { regular: pods.length - fromManifests, static: fromManifests };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}
