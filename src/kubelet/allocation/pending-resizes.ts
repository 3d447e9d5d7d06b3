/**
 * Resizes that wait to be granted (E-2, E-3): when they are looked at again, and what is told of them.
 *
 *     asked for ──> judged ──granted──> on disk ──> in progress: ResizeStarted, and a sync
 *          ▲           ├──deferred────> waits: ResizeDeferred
 *          │           └──infeasible──> given up: ResizeInfeasible
 *          └── 30 s after the start, then every 3 min, and whenever room may have become free
 *
 * They are judged one after the other, each counting what was granted to those before it. The
 * writes happen together.
 */
import { PodkeepError } from '../../lib/errors.ts';
import type { Pod, PodCondition } from '../../api/pod.ts';
import { jsonEqual } from '../../api/json-equal.ts';
import { RESIZE_PENDING } from '../../core/condition-ownership.ts';
import { allocationOf } from '../../core/pod-allocation.ts';
import { judgeResize, type ResizeVerdict } from '../../core/resize-decision.ts';
import { resizeMessage } from '../../core/resize-message.ts';
import { orderResizes } from '../../core/resize-order.ts';
import type { AdmissionView } from '../../core/admission/admission-view.ts';
import type { ResizeTrigger } from '../../ports/allocation-observer.ts';
import type { Cancel } from '../../ports/clock.ts';
import { CHECKPOINT_NOT_DURABLE } from '../allocation-state/checkpoint-errors.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { AllocationBook } from './allocation-book.ts';
import type { AllocationRoom } from './allocation-room.ts';
import type { RoomMaker } from './room-maker.ts';

export interface ResizeParts {
  readonly book: AllocationBook;
  readonly roomMaker: RoomMaker;
  readonly view: (pod: Pod) => AdmissionView;
  /** A pod may use more or less than before. */
  readonly granted: () => void;
}

const FIRST_RETRY_MS = 30_000;
const RETRY_MS = 180_000;

export class PendingResizes {
  readonly #room: AllocationRoom;
  readonly #parts: ResizeParts;
  readonly #waiting = new Set<string>();
  #isStarted = false;
  #cancel: Cancel = () => undefined;

  constructor(room: AllocationRoom, parts: ResizeParts) {
    this.#room = room;
    this.#parts = parts;
  }

  get size(): number {
    return this.#waiting.size;
  }

  start(): void {
    this.#isStarted = true;
    this.#retryAfter(FIRST_RETRY_MS);
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancel();
  }

  push(uid: string): void {
    this.#waiting.add(uid);
  }

  remove(uid: string): void {
    this.#waiting.delete(uid);
  }

  /** Judges all that wait. Resolves when what was granted is on disk; it never rejects. */
  async retry(trigger: ResizeTrigger): Promise<void> {
    const isReady = this.#room.areSourcesReady();
    this.#retryAfter(isReady ? RETRY_MS : FIRST_RETRY_MS);
    // Before all pods are known, room that seems free may be somebody's.
    if (!isReady) return;
    const grants: Promise<void>[] = [];
    for (const pod of this.#inOrder()) {
      const grant = this.#judge(pod, trigger);
      if (grant) grants.push(grant);
    }
    await Promise.all(grants);
  }

  #retryAfter(delayMs: number): void {
    this.#cancel();
    if (!this.#isStarted) return;
    this.#cancel = this.#room.clock.after(delayMs, () => void this.retry('periodic_retry'));
  }

  #inOrder(): readonly Pod[] {
    const { pods, status } = this.#room;
    const waiting = [...this.#waiting].flatMap((uid) => {
      const pod = pods.find(uid)?.pod;
      if (!pod) this.#waiting.delete(uid);
      const since = pendingOf(status.resizeConditions(uid))?.lastTransitionTime ?? null;
      return pod ? [{ pod, allocated: this.#parts.book.decided(pod), waitingSince: since }] : [];
    });
    return orderResizes(waiting).map(({ pod }) => pod);
  }

  /** Decides before it returns; only a grant has something to wait for. */
  #judge(pod: Pod, trigger: ResizeTrigger): Promise<void> | undefined {
    const { status, node, syncPod } = this.#room;
    const { book, view } = this.#parts;
    const { uid } = referenceOf(pod);
    const before = status.resizeConditions(uid);
    const allocated = book.decided(pod);
    if (allocated === pod) {
      this.#waiting.delete(uid);
      status.clearResizePending(uid);
    } else {
      const limits = node.resizeLimits;
      const verdict = judgeResize({ ...view(pod), allocated, limits });
      if (verdict.type === 'granted') return this.#grant(pod, verdict, trigger);
      this.#tellPending(pod, verdict);
    }
    if (!isSame(before, status.resizeConditions(uid))) syncPod(pod);
    return undefined;
  }

  #tellPending(pod: Pod, verdict: Exclude<ResizeVerdict, { type: 'granted' }>): void {
    const { status, events, observer } = this.#room;
    const reference = referenceOf(pod);
    const { generation = 0 } = pod.metadata;
    const isFinal = verdict.type === 'infeasible';
    if (isFinal) {
      this.#waiting.delete(reference.uid);
      observer.resizeRefused(verdict.detail);
    }
    const { reason, message } = isFinal ? { ...verdict, reason: 'Infeasible' } : verdict.why;
    if (!status.setResizePending(reference.uid, { reason, message, generation })) return;
    const text = resizeMessage(reason, pod, generation, message);
    events.record(reference, 'Warning', isFinal ? 'ResizeInfeasible' : 'ResizeDeferred', text);
  }

  async #grant(
    pod: Pod,
    { victims, shortOf }: Extract<ResizeVerdict, { type: 'granted' }>,
    trigger: ResizeTrigger,
  ): Promise<void> {
    const { book, roomMaker } = this.#parts;
    const { uid } = referenceOf(pod);
    this.#waiting.delete(uid);
    const made = roomMaker.make(uid, victims, shortOf);
    this.#parts.granted();
    try {
      await book.grant(uid, allocationOf(pod), made);
    } catch (error) {
      if (!isInPlace(error)) return this.#takeBack(uid, error);
      this.#room.log.warn('a resize might not survive a power cut', { pod: uid, error });
    }
    this.#tellGranted(pod, trigger);
  }

  #takeBack(uid: string, error: unknown): void {
    this.#room.log.error('a resize could not be written down; it waits', { pod: uid, error });
    this.#parts.book.revert(uid);
    this.#parts.granted();
    this.#waiting.add(uid);
    this.#retryAfter(FIRST_RETRY_MS);
  }

  #tellGranted(pod: Pod, trigger: ResizeTrigger): void {
    const { pods, status, events, observer, syncPod } = this.#room;
    const reference = referenceOf(pod);
    const { uid } = reference;
    const newest = pods.find(uid)?.pod;
    if (!newest) return;
    const { generation = 0 } = pod.metadata;
    if (pendingOf(status.resizeConditions(uid))?.reason === 'Deferred') {
      observer.deferredResizeAccepted(trigger);
    }
    status.clearResizePending(uid);
    // What an older resize said is over; this one is named by its own generation.
    status.clearResizeInProgress(uid);
    status.setResizeInProgress(uid, { reason: '', message: '', generation });
    events.record(reference, 'Normal', 'ResizeStarted', resizeMessage('started', pod, generation));
    syncPod(newest);
  }
}

function pendingOf(conditions: readonly PodCondition[]): PodCondition | undefined {
  return conditions.find(({ type }) => type === RESIZE_PENDING);
}

/** When it was looked at is no news. */
function isSame(a: readonly PodCondition[], b: readonly PodCondition[]): boolean {
  const plain = (conditions: readonly PodCondition[]) =>
    conditions.map((condition) => ({ ...condition, lastProbeTime: null }));
  return jsonEqual(plain(a), plain(b));
}

function isInPlace(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === CHECKPOINT_NOT_DURABLE;
}
