/**
 * What is done with news of pods (KL-59): they become known, are let in or turned away, and their
 * workers are told.
 *
 *     ADD ──> known ──> admitted? ──no──> rejected: its status says why, and it gets no worker
 *                          └──yes──> what it was granted is on disk ──> worker
 *     UPDATE, DELETE ──> known ──> worker        REMOVE ──> unknown ──> worker: kill
 *     RECONCILE ──> known ──> worker only if its readiness depends on what others wrote (F-22)
 *
 * News of a mirror are news of its static pod.
 *
 * Whether a pod is let in is decided at once and in the order of creation. Its worker begins when the
 * grant would survive a crash, so news may come in between: they only change what is known, and the
 * worker begins with the newest. Nobody waits for a disk here (F-20).
 */
import type { Pod } from '../../api/pod.ts';
import { isBeingDeleted, isMirrorPod, isTerminalPhase } from '../../core/pod-facts.ts';
import { needsReadinessReconcile } from '../../core/ready-conditions.ts';
import { parseTime } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { NodePodManager } from '../pod-manager/pod-manager.ts';
import type { PodWorkers } from '../pod-workers/pod-workers.ts';
import type { PodUpdate } from '../sources/pod-update.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface PodNewsRoom {
  readonly clock: Clock;
  readonly log: Log;
  readonly pods: NodePodManager;
  readonly workers: Pick<PodWorkers, 'updatePod' | 'isPodTerminationRequested' | 'hasWorker'>;
  readonly status: Pick<StatusManager, 'getPodStatus'>;
  readonly admission: PodAdmission;
  /** Until all sources have spoken, nothing is killed for being unknown. */
  readonly areSourcesReady: () => boolean;
  /**
   * Looks at the pod in the runtime, if that has something of it: what an earlier podkeep started was
   * first seen when nobody knew yet whose it was.
   */
  readonly refresh: (uid: string) => Promise<void>;
  /** Resolves when nothing runs any more that a static pod has to wait for. */
  readonly predecessorEnded: (pod: Pod) => Promise<void>;
  /** The API shows this mirror: its static pod's status can be written now. */
  readonly mirrorSeen: (mirrorPod: Pod) => void;
  /** The pod was evicted, and its end is in the API: dead containers need not stay. */
  readonly evicted: (pod: Pod) => void;
}

/** Who decides whether this node takes a pod, and remembers what it was granted. */
export interface PodAdmission {
  /**
   * False: the pod is turned away, and its status says so already. Decided at once; one that depends
   * on what has to be read first is let in for now, and may be turned away until `kept` resolves.
   */
  admit(pod: Pod): boolean;
  /** Resolves when what the pod was granted, if anything, would survive a crash. */
  kept(pod: Pod): Promise<void>;
  /** A pod that was let in should run in another way. */
  changed(before: Pod | undefined, pod: Pod): void;
  removed(pod: Pod): void;
}

export class PodNews {
  readonly #room: PodNewsRoom;
  /** Let in, and waiting for the disk. */
  readonly #entering = new Set<string>();

  constructor(room: PodNewsRoom) {
    this.#room = room;
  }

  tell({ operation, pods }: PodUpdate): void {
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

  /** Asks for a look at the pod, if it is one of this node's. */
  sync(uid: string): void {
    const known = this.#room.pods.find(uid);
    if (known) this.#send('sync', known.pod);
  }

  /** It has no worker yet, and will get one. */
  isEntering(uid: string): boolean {
    return this.#entering.has(uid);
  }

  #add(pod: Pod): void {
    const { pods, workers, admission } = this.#room;
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
    const { pods, admission, log, clock, refresh, predecessorEnded } = this.#room;
    const uid = uidOf(pod);
    try {
      await admission.kept(pod);
      await predecessorEnded(pod);
      await refresh(uid);
    } catch (error) {
      if (!pods.find(uid)) return void this.#entering.delete(uid);
      // Nobody may run on a grant that a restart would forget. The disk may have room again soon.
      log.error('what a pod was granted could not be written down; it waits', { pod: uid, error });
      clock.after(RETRY_MS, () => void this.#enter(pod));
      return;
    }
    this.#entering.delete(uid);
    const known = pods.find(uid);
    if (known && !this.#wasTurnedAway(known.pod)) this.#send('create', known.pod);
  }

  #update(pod: Pod): void {
    const { pods, admission } = this.#room;
    const before = pods.find(uidOf(pod))?.pod;
    pods.update(pod);
    if (isMirrorPod(pod)) return this.#mirrorChanged(pod);
    if (this.#wasTurnedAway(pod)) return;
    admission.changed(before, pod);
    this.#send('update', pod);
  }

  #remove(pod: Pod): void {
    const { pods, workers, admission, areSourcesReady } = this.#room;
    pods.remove(pod);
    // The static pod goes on; its next sync makes the mirror anew.
    if (isMirrorPod(pod)) return this.#mirrorChanged(pod);
    admission.removed(pod);
    // Whatever runs unknown when all sources have spoken is found by housekeeping.
    if (areSourcesReady() && !this.#entering.has(uidOf(pod))) {
      workers.updatePod({ updateType: 'kill', pod });
    }
  }

  #reconcile(pod: Pod): void {
    const { pods, mirrorSeen, evicted } = this.#room;
    pods.update(pod);
    if (isMirrorPod(pod)) return mirrorSeen(pod);
    if (needsReadinessReconcile(pod)) this.#send('sync', pod);
    if (pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted') evicted(pod);
  }

  /** Until it is deleted, there is nothing to do for it: it must not begin to run after all. */
  #wasTurnedAway(pod: Pod): boolean {
    const { workers, status } = this.#room;
    const uid = uidOf(pod);
    if (isBeingDeleted(pod) || workers.hasWorker(uid)) return false;
    return isTerminalPhase(status.getPodStatus(uid)?.phase);
  }

  #mirrorChanged(mirrorPod: Pod): void {
    const { pods, mirrorSeen } = this.#room;
    if (pods.mirrorPods().includes(mirrorPod)) mirrorSeen(mirrorPod);
    const { pod } = pods.findPair(mirrorPod);
    if (pod) this.#send('update', pod);
  }

  #send(updateType: 'create' | 'update' | 'sync', pod: Pod): void {
    const { pods, workers, clock } = this.#room;
    const uid = uidOf(pod);
    if (this.#entering.has(uid)) return;
    const { mirrorPod } = pods.find(uid) ?? {};
    workers.updatePod({ updateType, pod, mirrorPod, startedAtMs: clock.monotonic() });
  }
}

const RETRY_MS = 10_000;

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

function byCreation(a: Pod, b: Pod): number {
  return createdAtMs(a) - createdAtMs(b);
}

/** A static pod has no such time: it comes first. */
function createdAtMs({ metadata: { creationTimestamp } }: Pod): number {
  return creationTimestamp ? parseTime(creationTimestamp).ms : 0;
}
