/**
 * The sync loop: handles updates from the pod sources (KL-59). It records each pod in the pod manager, admits
 * or rejects it, and notifies its pod worker.
 *
 *     ADD ──> recorded ──> admitted? ──no──> rejected: its status says why, and it gets no worker
 *                              └──yes──> its allocation is on disk ──> worker
 *     UPDATE, DELETE ──> recorded ──> worker        REMOVE ──> forgotten ──> worker: kill
 *     RECONCILE ──> recorded ──> worker only if its readiness depends on other components (F-22)
 *
 * An update of a mirror pod is an update of its static pod.
 *
 * Admission is decided immediately, in the order of creation. The worker is created once the allocation is on
 * disk, where it survives a crash. Updates in between only change the recorded pod, and the worker starts
 * with the newest version. The sync loop never waits for the disk (F-20).
 */
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted, isMirrorPod, isTerminalPhase } from '../../core/pod/pod-facts.ts';
import { needsReadinessReconcile } from '../../core/pod-status/ready-conditions.ts';
import { parseTime } from '../../api/values/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { LifecycleEvent } from '../pleg/lifecycle-event.ts';
import type { NodePodManager } from '../pod-manager/pod-manager.ts';
import type { PodWorkers } from '../pod-workers/pod-workers.ts';
import type { PodUpdate } from '../sources/pod-update.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface SyncLoopDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly pods: NodePodManager;
  readonly workers: Pick<PodWorkers, 'updatePod' | 'isPodTerminationRequested' | 'hasWorker'>;
  readonly status: Pick<StatusManager, 'getPodStatus'>;
  readonly admission: PodAdmission;
  /** Until all sources have reported, unknown pods are not killed. */
  readonly areSourcesReady: () => boolean;
  /**
   * Inspects the pod in the runtime again, if the runtime has it: the PLEG first saw the containers of an
   * earlier podkeep process before any source had reported their pod.
   */
  readonly refresh: (uid: string) => Promise<void>;
  /** Resolves when the older pod that a static pod has to wait for has stopped (predecessor.ts). */
  readonly predecessorEnded: (pod: Pod) => Promise<void>;
  /** The API has this mirror pod, so the status of its static pod can be written. */
  readonly mirrorSeen: (mirrorPod: Pod) => void;
  /** The pod was evicted, and its final status is in the API, so its dead containers can be removed. */
  readonly evicted: (pod: Pod) => void;
}

/** Decides whether this node admits a pod, and stores its allocation. */
export interface PodAdmission {
  /**
   * False: the pod is rejected, and its status is already set. The decision is immediate; if it needs a read
   * from the API, the pod is admitted for now and may still be rejected until `durable` resolves.
   */
  admit(pod: Pod): boolean;
  /** Resolves when the pod's allocation, if it has one, would survive a crash. */
  durable(pod: Pod): Promise<void>;
  /** The desired state of an admitted pod has changed. */
  changed(before: Pod | undefined, pod: Pod): void;
  removed(pod: Pod): void;
}

export class SyncLoop {
  readonly #deps: SyncLoopDeps;
  /** Pods that are admitted and wait for their allocation to be on disk. */
  readonly #entering = new Set<string>();

  constructor(deps: SyncLoopDeps) {
    this.#deps = deps;
  }

  handle({ operation, source, pods }: PodUpdate): void {
    const v = operation === 'RECONCILE' ? RECONCILE_VERBOSITY : EVENT_VERBOSITY;
    this.#deps.log.info(`SyncLoop ${operation}`, { source, pods: pods.map(titleOf) }, v);
    switch (operation) {
      case 'ADD':
        for (const pod of pods.toSorted(byCreation)) this.#add(pod);
        break;
      case 'UPDATE':
      case 'DELETE':
        for (const pod of pods) this.#update(pod);
        break;
      case 'REMOVE':
        for (const pod of pods) this.#remove(pod);
        break;
      case 'RECONCILE':
        for (const pod of pods) this.#reconcile(pod);
        break;
    }
  }

  /** Requests a sync after an event of the PLEG (KL-58). */
  handleLifecycle({ podUid, type, id }: LifecycleEvent): void {
    const { pods, log } = this.#deps;
    const known = pods.find(podUid);
    if (!known) return;
    const facts = { pod: titleOf(known.pod), event: { ID: podUid, Type: type, Data: id } };
    log.info('SyncLoop (PLEG): event for pod', facts, EVENT_VERBOSITY);
    this.#send('sync', known.pod);
  }

  /** Requests a sync of the pod, if it is one of this node's. */
  sync(uid: string): void {
    const known = this.#deps.pods.find(uid);
    if (known) this.#send('sync', known.pod);
  }

  /** The pod was admitted and has no worker yet. */
  isEntering(uid: string): boolean {
    return this.#entering.has(uid);
  }

  #add(pod: Pod): void {
    const { pods, workers, admission } = this.#deps;
    pods.update(pod);
    if (isMirrorPod(pod)) return this.#mirrorChanged(pod);
    const uid = uidOf(pod);
    const isOver = isTerminalPhase(pod.status?.phase);
    if (workers.isPodTerminationRequested(uid)) return this.#send('create', pod);
    if (!isOver && !admission.admit(pod)) return;
    this.#entering.add(uid);
    void this.#enter(pod);
  }

  async #enter(pod: Pod): Promise<void> {
    const { pods, admission, log, clock, refresh, predecessorEnded } = this.#deps;
    const uid = uidOf(pod);
    try {
      await admission.durable(pod);
      await predecessorEnded(pod);
      await refresh(uid);
    } catch (error) {
      if (!pods.find(uid)) return void this.#entering.delete(uid);
      // No pod may run on an allocation that a restart would lose. The disk may have space again soon.
      log.error('Failed to store the allocation of a pod; retrying', { pod: uid, error });
      clock.after(RETRY_MS, () => void this.#enter(pod));
      return;
    }
    this.#entering.delete(uid);
    const known = pods.find(uid);
    if (known && !this.#wasRejected(known.pod)) this.#send('create', known.pod);
  }

  #update(pod: Pod): void {
    const { pods, admission } = this.#deps;
    const before = pods.find(uidOf(pod))?.pod;
    pods.update(pod);
    if (isMirrorPod(pod)) return this.#mirrorChanged(pod);
    if (this.#wasRejected(pod)) return;
    admission.changed(before, pod);
    this.#send('update', pod);
  }

  #remove(pod: Pod): void {
    const { pods, workers, admission, areSourcesReady } = this.#deps;
    pods.remove(pod);
    // The static pod keeps running, and its next sync creates the mirror pod again.
    if (isMirrorPod(pod)) return this.#mirrorChanged(pod);
    admission.removed(pod);
    // If not all sources have reported yet, housekeeping kills the pod later.
    if (areSourcesReady() && !this.#entering.has(uidOf(pod))) {
      workers.updatePod({ updateType: 'kill', pod });
    }
  }

  #reconcile(pod: Pod): void {
    const { pods, mirrorSeen, evicted } = this.#deps;
    pods.update(pod);
    if (isMirrorPod(pod)) return mirrorSeen(pod);
    if (needsReadinessReconcile(pod)) this.#send('sync', pod);
    if (pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted') evicted(pod);
  }

  /** A rejected pod must not start later: until it is deleted, there is nothing to do for it. */
  #wasRejected(pod: Pod): boolean {
    const { workers, status } = this.#deps;
    const uid = uidOf(pod);
    if (isBeingDeleted(pod) || workers.hasWorker(uid)) return false;
    return isTerminalPhase(status.getPodStatus(uid)?.phase);
  }

  #mirrorChanged(mirrorPod: Pod): void {
    const { pods, mirrorSeen } = this.#deps;
    if (pods.mirrorPods().includes(mirrorPod)) mirrorSeen(mirrorPod);
    const { pod } = pods.findPair(mirrorPod);
    if (pod) this.#send('update', pod);
  }

  #send(updateType: 'create' | 'update' | 'sync', pod: Pod): void {
    const { pods, workers, clock } = this.#deps;
    const uid = uidOf(pod);
    if (this.#entering.has(uid)) return;
    const { mirrorPod } = pods.find(uid) ?? {};
    workers.updatePod({ updateType, pod, mirrorPod, startedAtMs: clock.monotonic() });
  }
}

const RETRY_MS = 10_000;
/** The kubelet's verbosities. RECONCILE has a higher one, because every status write causes a RECONCILE. */
const EVENT_VERBOSITY = 2;
const RECONCILE_VERBOSITY = 4;

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function titleOf({ metadata: { namespace, name } }: Pod): string {
  return `${namespace}/${name}`;
}

function byCreation(a: Pod, b: Pod): number {
  return createdAtMs(a) - createdAtMs(b);
}

/** A static pod has no creation timestamp, and comes first. */
function createdAtMs({ metadata: { creationTimestamp } }: Pod): number {
  return creationTimestamp ? parseTime(creationTimestamp).ms : 0;
}
