/**
 * Housekeeping: every two seconds, compares desired pods, pod workers and the runtime, and corrects
 * differences (KL-64).
 *
 *     desired, without a worker     ──> gets a worker (its UID was used before, F-14)
 *     a worker, not desired         ──> terminated and forgotten (PW-65 to PW-68)
 *     in the runtime, unknown       ──> killed
 *     to be deleted, and ended      ──> gets a worker, which finishes the deletion
 *     probes, statuses, allocations, folders and mirrors of removed pods ──> removed
 *
 * One run is active at a time, and nothing else waits for it (F-20). Until all pod sources have reported, a
 * run does nothing.
 *
 * Desired pods get their workers before unknown pods in the runtime are killed: a static pod that came back
 * under its old UID is desired, and its containers must not be killed (KL-65).
 */
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted, isStaticPod, isTerminalPhase } from '../../core/pod/pod-facts.ts';
import type { Summary } from '../../core/pod-worker/query.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodVolumes } from '../../ports/pod/pod-volumes.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { HousekeepingMetrics, PodCounts } from '../metrics/housekeeping-metrics.ts';
import type { MirrorClient } from '../pod-manager/mirror-pods.ts';
import { fullNameOf, type NodePodManager } from '../pod-manager/pod-manager.ts';
import type { PodRunner } from '../containers/pod-runner.ts';
import type { PodWorkers } from '../pod-workers/pod-workers.ts';
import type { ProbeManager } from '../probes/probe-manager.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';
import type { KubeletCgroups } from '../../ports/pod/pod-cgroups.ts';
import type { VolumeManager } from '../volumes/volume-manager.ts';
import { isActive } from '../pod-workers/active-pods.ts';

export interface HousekeepingDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list'>;
  readonly pods: NodePodManager;
  readonly workers: PodWorkers;
  readonly prober: Pick<ProbeManager, 'cleanUp'>;
  readonly status: Pick<StatusManager, 'removeOrphanedStatuses' | 'getPodStatus'>;
  readonly volumes: Pick<VolumeManager, 'removeOrphans'> & Pick<PodVolumes, 'volumesExist'>;
  /** Absent: pods have no cgroups here. */
  readonly cgroups?: Pick<KubeletCgroups, 'share' | 'removeOrphans'> | undefined;
  readonly runner: Pick<PodRunner, 'collectGarbage'>;
  readonly metrics: HousekeepingMetrics;
  /** Absent: there is no API server, and so no mirrors. */
  readonly mirrors?: Pick<MirrorClient, 'delete'> | undefined;
  /** Removes the allocations of all pods but these. */
  readonly keepGrants: (uids: ReadonlySet<string>) => Promise<void>;
  readonly areSourcesReady: () => boolean;
  /** The pod was admitted, and gets its worker as soon as its allocation is on disk. */
  readonly isEntering: (uid: string) => boolean;
}

type Known = Map<string, Summary>;

const PERIOD_MS = 2000;
const SLOW_MS = 1000;
const HUNG_MS = 300_000;
const ORPHAN_GRACE_SECONDS = 1;

export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  readonly #abort = new AbortController();
  #cancel: Cancel = () => {};
  #turn: Promise<void> = Promise.resolve();
  /** When the last run ended, by the clock's `monotonic`. */
  #turnedAtMs: number | null = null;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#turnedAtMs ??= this.#deps.clock.monotonic();
    this.#cancel = this.#deps.clock.after(PERIOD_MS, () => {
      this.#turn = this.keepHouse().finally(() => {
        this.#turnedAtMs = this.#deps.clock.monotonic();
        if (!this.#abort.signal.aborted) this.start();
      });
    });
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#cancel();
    await this.#turn;
  }

  /** Why housekeeping counts as hung. Null: it runs (KL-55). */
  unhealthy(): string | null {
    if (this.#turnedAtMs === null) return null;
    const silentMs = this.#deps.clock.monotonic() - this.#turnedAtMs;
    if (silentMs <= HUNG_MS) return null;
    return `housekeeping took longer than expected: last activity ${Math.round(silentMs / 1000)}s ago`;
  }

  /** One run. It never rejects. */
  async keepHouse(): Promise<void> {
    const { clock, log, areSourcesReady } = this.#deps;
    if (!areSourcesReady()) return;
    const beganAtMs = clock.monotonic();
    try {
      await this.#work();
    } catch (error) {
      if (!this.#abort.signal.aborted) log.error('Failed cleaning pods', { error });
    }
    const tookMs = clock.monotonic() - beganAtMs;
    if (tookMs > SLOW_MS)
      log.warn('Housekeeping took longer than expected', { ms: Math.round(tookMs) });
  }

  async #work(): Promise<void> {
    const { pods, workers, runtime, runner, metrics } = this.#deps;
    const known = new Map(workers.syncKnownPods(pods.pods()));
    const listed = await runtime.list();
    if (this.#abort.signal.aborted) return;
    // Sources may have changed the desired pods while the runtime was listed: they are read again.
    const desired = pods.pods();
    const running = listed.filter(isRunning);
    this.#forgetRemovedPods(desired, known, running);
    await this.#removeOrphanedFolders(desired, known, listed);
    await this.#removeOrphanedMirrors();
    if (this.#abort.signal.aborted) return;
    this.#count(desired);
    this.#restart(known);
    this.#finishDeletions(known, running);
    this.#killOrphans(known, running);
    metrics.workersCounted(known.values());
    await this.#keepCgroups(known, running);
    runner.collectGarbage();
  }

  #forgetRemovedPods(
    desired: readonly Pod[],
    known: Known,
    running: readonly RuntimePodEntry[],
  ): void {
    const { pods, prober, status, keepGrants, log, isEntering } = this.#deps;
    const mayRun = new Set(running.map(({ uid }) => uid));
    for (const [uid, { state }] of known) if (state !== 'terminated') mayRun.add(uid);
    prober.cleanUp(mayRun);
    const uids = new Set(desired.map(uidOf));
    status.removeOrphanedStatuses(new Set([...uids, ...pods.mirrorPods().map(uidOf)]));
    for (const uid of known.keys()) uids.add(uid);
    const durable = new Set([...uids].filter((uid) => known.has(uid) || isEntering(uid)));
    for (const pod of desired) if (isActive(this.#deps, pod)) durable.add(uidOf(pod));
    keepGrants(durable).catch((error: unknown) => {
      log.warn('Failed to remove allocations of deleted pods', { error });
    });
  }

  async #removeOrphanedFolders(
    desired: readonly Pod[],
    known: Known,
    listed: readonly RuntimePodEntry[],
  ): Promise<void> {
    const running = listed.filter(isRunning).map(({ uid }) => uid);
    await this.#deps.volumes.removeOrphans(
      new Set([...desired.map(uidOf), ...known.keys(), ...running]),
    );
  }

  /** A pod that arrived during this run has its worker by now, and keeps its cgroup. */
  async #keepCgroups(known: Known, running: readonly RuntimePodEntry[]): Promise<void> {
    const { cgroups, pods, volumes, log } = this.#deps;
    if (!cgroups) return;
    const desired = pods.pods();
    try {
      await cgroups.share(desired.filter((pod) => isActive(this.#deps, pod)));
      const uids = [...desired.map(uidOf), ...known.keys(), ...running.map(({ uid }) => uid)];
      await cgroups.removeOrphans(new Set(uids), async (uid) => volumes.volumesExist(uid));
    } catch (error) {
      log.warn('Failed to update or remove pod cgroups', { error });
    }
  }

  /** A mirror pod stays until its static pod has ended, so that users see how it ends (PW-77). */
  async #removeOrphanedMirrors(): Promise<void> {
    const { pods, workers, mirrors } = this.#deps;
    if (!mirrors) return;
    for (const mirror of pods.orphanedMirrors()) {
      if (workers.isPodForMirrorPodTerminatingByFullName(fullNameOf(mirror))) continue;
      const { name = '', namespace = '' } = mirror.metadata;
      await mirrors.delete({ name, namespace }, null, this.#abort.signal);
    }
  }

  #count(desired: readonly Pod[]): void {
    const { pods, metrics } = this.#deps;
    metrics.podsCounted({
      desired: countsOf(desired),
      active: countsOf(desired.filter((pod) => isActive(this.#deps, pod))),
      mirrorPods: pods.mirrorPods().length,
    });
  }

  /** Creates workers for desired pods whose worker was forgotten together with an earlier pod of the same UID. */
  #restart(known: Known): void {
    const { pods, workers, metrics, log, isEntering } = this.#deps;
    const restarted = pods
      .pods()
      .filter((pod) => !known.has(uidOf(pod)) && isActive(this.#deps, pod))
      .filter((pod) => !isEntering(uidOf(pod)) && !workers.hasWorker(uidOf(pod)));
    for (const pod of restarted) {
      const uid = uidOf(pod);
      log.info('Pod will be restarted (likely due to UID reuse)', { pod: uid });
      const { mirrorPod } = pods.find(uid) ?? {};
      workers.updatePod({ updateType: 'create', pod, mirrorPod });
      known.set(uid, { state: 'sync', orphan: false, hasConfig: true, static: isStaticPod(pod) });
    }
    metrics.podsRestarted(countsOf(restarted));
  }

  /**
   * Creates workers for deleted pods that were rejected, or ended under an earlier podkeep process: only a
   * pod worker finishes their deletion.
   */
  #finishDeletions(known: Known, running: readonly RuntimePodEntry[]): void {
    const { pods, workers } = this.#deps;
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
      isTerminalPhase(phase) || isTerminalPhase(this.#deps.status.getPodStatus(uidOf(pod))?.phase)
    );
  }

  #killOrphans(known: Known, running: readonly RuntimePodEntry[]): void {
    const { workers, metrics, log, isEntering } = this.#deps;
    let orphans = 0;
    for (const { uid, name, namespace } of running) {
      // A pod that arrived after the workers were listed has a worker by now.
      if (known.has(uid) || isEntering(uid) || workers.hasWorker(uid)) continue;
      orphans += 1;
      log.info('Clean up containers for orphaned pod we had not seen before', {
        pod: { uid, name },
      });
      const kill = { graceSeconds: ORPHAN_GRACE_SECONDS };
      workers.updatePod({ updateType: 'kill', runningPod: { uid, name, namespace }, kill });
      known.set(uid, { state: 'terminating', orphan: true, hasConfig: false, static: false });
    }
    metrics.orphansFound(orphans);
  }
}

/** Whether the runtime has a ready sandbox or a running container of the pod. */
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
