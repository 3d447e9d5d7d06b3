/**
 * Decides pending resizes, retries them, and reports the results in conditions and Events (E-2, E-3).
 *
 *     requested ──> decided ──granted──> on disk ──> in progress: ResizeStarted, and a sync
 *          ▲           ├──deferred─────> waits: ResizeDeferred
 *          │           └──infeasible───> given up: ResizeInfeasible
 *          └── 30 s after the start, then every 3 min, and whenever capacity may have become free
 *
 * Resizes are decided one after the other, and each decision counts the resizes that were granted before it.
 * The granted allocations are written together.
 */
import { PodkeepError } from '../../lib/errors.ts';
import type { Pod, PodCondition } from '../../api/pod.ts';
import { jsonEqual } from '../../api/values/json-equal.ts';
import { RESIZE_PENDING } from '../../core/pod-status/condition-ownership.ts';
import { allocationOf } from '../../core/resize/pod-allocation.ts';
import { decideResize, type ResizeDecision } from '../../core/resize/resize-decision.ts';
import { resizeMessage } from '../../core/resize/resize-message.ts';
import { orderResizes } from '../../core/resize/resize-order.ts';
import type { AdmissionView } from '../../core/admission/admission-view.ts';
import type { ResizeTrigger } from '../../ports/observe/allocation-observer.ts';
import type { Cancel } from '../../ports/clock.ts';
import { CHECKPOINT_NOT_DURABLE } from '../allocation-state/checkpoint-errors.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { AllocationLedger } from './allocation-ledger.ts';
import type { AllocationDeps } from './allocation-deps.ts';
import type { Preemption } from './preemption.ts';

export interface ResizeParts {
  readonly ledger: AllocationLedger;
  readonly preemption: Preemption;
  readonly view: (pod: Pod) => AdmissionView;
  /** A pod may use more or less than before. */
  readonly granted: () => void;
}

const FIRST_RETRY_MS = 30_000;
const RETRY_MS = 180_000;

export class PendingResizes {
  readonly #deps: AllocationDeps;
  readonly #parts: ResizeParts;
  readonly #waiting = new Set<string>();
  #isStarted = false;
  #cancel: Cancel = () => undefined;

  constructor(deps: AllocationDeps, parts: ResizeParts) {
    this.#deps = deps;
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

  /** Decides all pending resizes. Resolves when the grants are on disk; it never rejects. */
  async retry(trigger: ResizeTrigger): Promise<void> {
    const isReady = this.#deps.areSourcesReady();
    this.#retryAfter(isReady ? RETRY_MS : FIRST_RETRY_MS);
    // Until the pod sources have delivered all pods, capacity that seems free may be allocated already.
    if (!isReady) return;
    const grants: Promise<void>[] = [];
    for (const pod of this.#inOrder()) {
      const grant = this.#evaluate(pod, trigger);
      if (grant) grants.push(grant);
    }
    await Promise.all(grants);
  }

  #retryAfter(delayMs: number): void {
    this.#cancel();
    if (!this.#isStarted) return;
    this.#cancel = this.#deps.clock.after(delayMs, () => void this.retry('periodic_retry'));
  }

  #inOrder(): readonly Pod[] {
    const { pods, status } = this.#deps;
    const waiting = [...this.#waiting].flatMap((uid) => {
      const pod = pods.find(uid)?.pod;
      if (!pod) this.#waiting.delete(uid);
      const since = pendingOf(status.resizeConditions(uid))?.lastTransitionTime ?? null;
      return pod ? [{ pod, allocated: this.#parts.ledger.decided(pod), waitingSince: since }] : [];
    });
    return orderResizes(waiting).map(({ pod }) => pod);
  }

  /** Decides before it returns; only a grant has something to wait for. */
  #evaluate(pod: Pod, trigger: ResizeTrigger): Promise<void> | undefined {
    const { status, node, syncPod } = this.#deps;
    const { ledger, view } = this.#parts;
    const { uid } = referenceOf(pod);
    const before = status.resizeConditions(uid);
    const allocated = ledger.decided(pod);
    if (allocated === pod) {
      this.#waiting.delete(uid);
      status.clearResizePending(uid);
    } else {
      const limits = node.resizeLimits;
      const decision = decideResize({ ...view(pod), allocated, limits });
      if (decision.type === 'granted') return this.#grant(pod, decision, trigger);
      this.#reportPending(pod, decision);
    }
    if (!isSame(before, status.resizeConditions(uid))) syncPod(pod);
    return undefined;
  }

  #reportPending(pod: Pod, decision: Exclude<ResizeDecision, { type: 'granted' }>): void {
    const { status, events, observer } = this.#deps;
    const reference = referenceOf(pod);
    const { generation = 0 } = pod.metadata;
    const isFinal = decision.type === 'infeasible';
    if (isFinal) {
      this.#waiting.delete(reference.uid);
      observer.resizeRefused(decision.detail);
    }
    const { reason, message } = isFinal ? { ...decision, reason: 'Infeasible' } : decision.why;
    if (!status.setResizePending(reference.uid, { reason, message, generation })) return;
    const text = resizeMessage(reason, pod, generation, message);
    events.record(reference, 'Warning', isFinal ? 'ResizeInfeasible' : 'ResizeDeferred', text);
  }

  async #grant(
    pod: Pod,
    { victims, shortOf }: Extract<ResizeDecision, { type: 'granted' }>,
    trigger: ResizeTrigger,
  ): Promise<void> {
    const { ledger, preemption } = this.#parts;
    const { uid } = referenceOf(pod);
    this.#waiting.delete(uid);
    const made = preemption.make(uid, victims, shortOf);
    this.#parts.granted();
    try {
      await ledger.grant(uid, allocationOf(pod), made);
    } catch (error) {
      if (!isInPlace(error)) return this.#takeBack(uid, error);
      this.#deps.log.warn('Allocated resize may not survive a power loss', { pod: uid, error });
    }
    this.#reportGranted(pod, trigger);
  }

  #takeBack(uid: string, error: unknown): void {
    this.#deps.log.error('Failed to store an allocated resize; retrying', { pod: uid, error });
    this.#parts.ledger.revert(uid);
    this.#parts.granted();
    this.#waiting.add(uid);
    this.#retryAfter(FIRST_RETRY_MS);
  }

  #reportGranted(pod: Pod, trigger: ResizeTrigger): void {
    const { pods, status, events, observer, syncPod } = this.#deps;
    const reference = referenceOf(pod);
    const { uid } = reference;
    const newest = pods.find(uid)?.pod;
    if (!newest) return;
    const { generation = 0 } = pod.metadata;
    if (pendingOf(status.resizeConditions(uid))?.reason === 'Deferred') {
      observer.deferredResizeAccepted(trigger);
    }
    status.clearResizePending(uid);
    // Replaces the condition of an older resize, because this resize has its own generation.
    status.clearResizeInProgress(uid);
    status.setResizeInProgress(uid, { reason: '', message: '', generation });
    events.record(reference, 'Normal', 'ResizeStarted', resizeMessage('started', pod, generation));
    syncPod(newest);
  }
}

function pendingOf(conditions: readonly PodCondition[]): PodCondition | undefined {
  return conditions.find(({ type }) => type === RESIZE_PENDING);
}

/** A new lastProbeTime alone is no change. */
function isSame(a: readonly PodCondition[], b: readonly PodCondition[]): boolean {
  const plain = (conditions: readonly PodCondition[]) =>
    conditions.map((condition) => ({ ...condition, lastProbeTime: null }));
  return jsonEqual(plain(a), plain(b));
}

function isInPlace(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === CHECKPOINT_NOT_DURABLE;
}
