/**
 * Gives the resources of the node to pods, and remembers what it gave (KL-59, E-3).
 *
 *     admit ──> judge ──> granted, on its way to the disk ──kept──> the pod may start
 *     podChanged, podsAdded, podRemoved, statuses ──> resizes that wait are judged again
 *
 * Whether a pod is let in is decided at once, in the order of calls; only the disk, and pods that have
 * to go for a critical one, are waited for. So pods of one burst share one write, and each counts
 * those that were let in before it.
 *
 * Invariants:
 *   1. A pod takes room from the moment it is let in. One that was turned away takes none, though its
 *      status may not say so yet; and one that has to go does not any more.
 *   2. A pod that was granted something before a restart is judged by that, not by what it wants now.
 *   3. Nobody sees a grant that a restart would forget (see allocation-book.ts).
 *   4. `#crowd` holds every pod that takes room, and maybe some that do so no more: who fits beside
 *      all of them fits. Only who does not is judged by a new count, so a burst of pods costs what
 *      each of them costs, however many there are.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { judge, type Verdict } from '../../core/admission/admission.ts';
import type { AdmissionNode, AdmissionView } from '../../core/admission/admission-view.ts';
import { Crowd, type Others } from '../../core/admission/crowd.ts';
import type { Rejection } from '../../core/admission/rejection.ts';
import { allocationOf } from '../../core/pod-allocation.ts';
import { changesPodLevel, findResourceChanges, whatWasFreed } from '../../core/resize-news.ts';
import type { ResizeTrigger } from '../../ports/allocation-observer.ts';
import type { StatusSubscriber } from '../../ports/status-subscriber.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import { AllocationBook } from './allocation-book.ts';
import type { AllocationRoom } from './allocation-room.ts';
import { PendingResizes } from './pending-resizes.ts';
import { RoomMaker } from './room-maker.ts';

export class AllocationManager implements StatusSubscriber {
  readonly #room: AllocationRoom;
  readonly #book: AllocationBook;
  readonly #roomMaker: RoomMaker;
  readonly #resizes: PendingResizes;
  /** Asked for a place and did not get it, or not yet. */
  readonly #outside = new Set<string>();
  /** With the status that was told last. */
  readonly #told = new Map<string, Pod>();
  /** Null: it has to be counted first. */
  #crowd: Crowd | null = null;

  constructor(room: AllocationRoom) {
    this.#room = room;
    this.#book = new AllocationBook(room.store, room.log);
    this.#roomMaker = new RoomMaker(room);
    this.#resizes = new PendingResizes(room, {
      book: this.#book,
      roomMaker: this.#roomMaker,
      view: (pod) => this.#view(pod, room.node.node(), this.#countOthers(pod)),
      granted: () => (this.#crowd = null),
    });
  }

  /** From now on resizes that wait are looked at again by themselves. */
  start(): void {
    this.#resizes.start();
  }

  stop(): void {
    this.#resizes.stop();
  }

  /**
   * Null: the pod is let in, and may start when `kept` says so. `node` is for callers who know it
   * better than what was handed in at the beginning.
   */
  admit(pod: Pod, node: AdmissionNode | null = this.#room.node.node()): Rejection | null {
    const { uid } = referenceOf(pod);
    this.#outside.add(uid);
    const allocated = this.#book.decided(pod);
    const verdict = this.#judge(allocated, node);
    if (verdict.rejection) return verdict.rejection;
    this.#outside.delete(uid);
    this.#crowd?.add(allocated);
    void this.#roomMaker.make(uid, verdict.victims, verdict.shortOf);
    void this.#book.grant(uid, allocationOf(allocated));
    return null;
  }

  /**
   * Resolves when there is room for the pod, and its grant would survive a crash. Rejects if it
   * could not be written; the next call tries again.
   */
  async kept(pod: Pod): Promise<void> {
    const { uid } = referenceOf(pod);
    // One that is over was not judged, and takes room until nothing of it runs.
    if (!this.#outside.has(uid)) this.#crowd?.add(this.#book.decided(pod));
    await this.#roomMaker.made(uid);
    await this.#book.saved(uid);
  }

  /** The pod with the resources that it may use, which may differ from those that it asks for. */
  updatePodFromAllocation(pod: Pod): Pod {
    return this.#book.kept(pod);
  }

  /** These were let in, maybe with resizes that nobody had granted when podkeep stopped. */
  async podsAdded(pods: readonly Pod[]): Promise<void> {
    this.#room.status.backfillResizeConditions(pods);
    const resized = pods.filter((pod) => this.#book.decided(pod) !== pod);
    for (const pod of resized) this.pushPendingResize(referenceOf(pod).uid);
    if (resized.length > 0) await this.retryPendingResizes('pods_added');
  }

  /** The spec of a pod that was let in is another one. */
  async podChanged(before: Pod | undefined, pod: Pod): Promise<void> {
    const { status, observer } = this.#room;
    const { uid } = referenceOf(pod);
    const changes = before ? findResourceChanges(before, pod) : [];
    for (const change of changes) observer.resizeRequested(change);
    if (before && changes.length === 0 && !changesPodLevel(before, pod)) return;
    if (this.#book.decided(pod) !== pod) {
      this.pushPendingResize(uid);
      await this.retryPendingResizes('pod_updated');
    } else {
      // Somebody has thought better of it.
      this.#resizes.remove(uid);
      status.clearResizePending(uid);
    }
  }

  /** What pods have given back may be what a resize waits for. */
  podUpdated(pod: Pod, status: PodStatus): void {
    const { uid = '' } = pod.metadata;
    const before = this.#told.get(uid);
    const now = { ...this.#book.kept(pod), status };
    this.#told.set(uid, now);
    const trigger = before && this.#resizes.size > 0 ? whatWasFreed(before, now) : null;
    if (trigger) this.#retrySoon(trigger);
  }

  /** Nothing of it runs any more. */
  podRemoved(pod: Pod): void {
    this.#told.delete(pod.metadata.uid ?? '');
    this.#retrySoon('pod_terminated');
  }

  pushPendingResize(uid: string): void {
    this.#resizes.push(uid);
  }

  /** Never rejects. */
  retryPendingResizes(trigger: ResizeTrigger): Promise<void> {
    return this.#resizes.retry(trigger);
  }

  /** The pod is gone from its source. */
  removePod(uid: string): void {
    this.#forget(uid);
    this.#book.remove(uid);
    this.#retrySoon('pods_removed');
  }

  /** Forgets every pod but these (KL-64, step 7). */
  removeOrphanedPods(remaining: ReadonlySet<string>): void {
    for (const uids of [this.#outside, this.#told.keys()]) {
      for (const uid of uids) if (!remaining.has(uid)) this.#forget(uid);
    }
    this.#book.removeOrphans(remaining);
  }

  #forget(uid: string): void {
    this.#outside.delete(uid);
    this.#told.delete(uid);
    this.#resizes.remove(uid);
    this.#roomMaker.forget(uid);
  }

  /** Whoever brings the news is not made to wait, nor called back while it speaks. */
  #retrySoon(trigger: ResizeTrigger): void {
    if (this.#resizes.size === 0) return;
    queueMicrotask(() => void this.retryPendingResizes(trigger));
  }

  #judge(pod: Pod, node: AdmissionNode | null): Verdict {
    this.#crowd?.delete(referenceOf(pod).uid);
    const verdict = this.#crowd && judge(this.#view(pod, node, this.#crowd));
    if (verdict?.rejection === null && verdict.victims.length === 0) return verdict;
    this.#crowd = this.#countOthers(pod);
    return judge(this.#view(pod, node, this.#crowd));
  }

  #countOthers(pod: Pod): Crowd {
    const { uid } = referenceOf(pod);
    const others = this.#room.activePods().filter(({ metadata: { uid: other = '' } }) => {
      return other !== uid && !this.#outside.has(other) && !this.#roomMaker.isLeaving(other);
    });
    return new Crowd(others.map((other) => this.#book.decided(other)));
  }

  #view(pod: Pod, node: AdmissionNode | null, others: Others): AdmissionView {
    const { node: facts } = this.#room;
    return {
      pod,
      others,
      node,
      allocatable: facts.allocatable(),
      pressures: facts.pressures(),
      platform: facts.platform,
    };
  }
}
