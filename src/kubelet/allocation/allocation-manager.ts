/**
 * Allocates the node's resources to pods, and stores the allocations (KL-59, E-3).
 *
 *     admit ──> decision ──> granted, on its way to the disk ──durable──> the pod may start
 *     podChanged, podsAdded, podRemoved, statuses ──> pending resizes are decided again
 *
 * `admit` decides immediately, in the order of calls; only `durable` waits: until the allocation is on disk
 * and preempted pods have stopped. So pods that arrive together share one write, and the admission of each
 * counts the pods that were admitted before it.
 *
 * Invariants:
 *   1. A pod takes capacity from the moment it is admitted. A rejected pod takes none, even before its status
 *      is written, and a pod that is being preempted takes none any more.
 *   2. A pod with an allocation from before a restart is admitted with that allocation, not with its current
 *      spec.
 *   3. No reader sees an allocation that a restart would lose (see allocation-ledger.ts).
 *   4. `#otherPods` holds every pod that takes capacity, and maybe some that no longer do: a pod that fits
 *      beside all of them fits. The pods are counted again only if the new pod does not fit, so the cost of
 *      many new pods grows linearly with their number.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { admit, type AdmissionDecision } from '../../core/admission/admission.ts';
import type { AdmissionNode, AdmissionView } from '../../core/admission/admission-view.ts';
import { OtherPods, type Others } from '../../core/admission/other-pods.ts';
import type { Rejection } from '../../core/admission/rejection.ts';
import { allocationOf } from '../../core/resize/pod-allocation.ts';
import {
  changesPodLevel,
  findResourceChanges,
  whatWasFreed,
} from '../../core/resize/resize-trigger.ts';
import type { ResizeTrigger } from '../../ports/observe/allocation-observer.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import { AllocationLedger } from './allocation-ledger.ts';
import type { AllocationDeps } from './allocation-deps.ts';
import { PendingResizes } from './pending-resizes.ts';
import { Preemption } from './preemption.ts';

export class AllocationManager implements StatusSubscriber {
  readonly #deps: AllocationDeps;
  readonly #ledger: AllocationLedger;
  readonly #preemption: Preemption;
  readonly #resizes: PendingResizes;
  /** Pods that asked for admission and were rejected, or are not decided yet. */
  readonly #outside = new Set<string>();
  /** Each with its last reported status. */
  readonly #lastPods = new Map<string, Pod>();
  /** Null: the pods have to be counted again. */
  #otherPods: OtherPods | null = null;

  constructor(deps: AllocationDeps) {
    this.#deps = deps;
    this.#ledger = new AllocationLedger(deps.store, deps.log);
    this.#preemption = new Preemption(deps);
    this.#resizes = new PendingResizes(deps, {
      ledger: this.#ledger,
      preemption: this.#preemption,
      view: (pod) => this.#view(pod, deps.node.node(), this.#countOthers(pod)),
      granted: () => (this.#otherPods = null),
    });
  }

  /** From now on, pending resizes are retried by timer. */
  start(): void {
    this.#resizes.start();
  }

  stop(): void {
    this.#resizes.stop();
  }

  /**
   * Null: the pod is admitted, and may start when `durable` resolves. `node` is for callers that have a
   * newer version of the node than `deps.node`.
   */
  admit(pod: Pod, node: AdmissionNode | null = this.#deps.node.node()): Rejection | null {
    const { uid } = referenceOf(pod);
    this.#outside.add(uid);
    const allocated = this.#ledger.decided(pod);
    const decision = this.#admit(allocated, node);
    if (decision.rejection) return decision.rejection;
    this.#outside.delete(uid);
    this.#otherPods?.add(allocated);
    void this.#preemption.make(uid, decision.victims, decision.shortOf);
    void this.#ledger.grant(uid, allocationOf(allocated));
    return null;
  }

  /**
   * Resolves when there is capacity for the pod, and its grant would survive a crash. Rejects if it could
   * not be written; the next call tries again.
   */
  async durable(pod: Pod): Promise<void> {
    const { uid } = referenceOf(pod);
    // A pod in a terminal phase skipped admission, and takes capacity until nothing of it runs.
    if (!this.#outside.has(uid)) this.#otherPods?.add(this.#ledger.decided(pod));
    await this.#preemption.made(uid);
    await this.#ledger.saved(uid);
  }

  /** The pod with the resources that it may use, which may differ from those that it requests. */
  updatePodFromAllocation(pod: Pod): Pod {
    return this.#ledger.allocated(pod);
  }

  /** These pods were admitted; some may have resizes that were pending when podkeep stopped. */
  async podsAdded(pods: readonly Pod[]): Promise<void> {
    this.#deps.status.backfillResizeConditions(pods);
    const resized = pods.filter((pod) => this.#ledger.decided(pod) !== pod);
    for (const pod of resized) this.pushPendingResize(referenceOf(pod).uid);
    if (resized.length > 0) await this.retryPendingResizes('pods_added');
  }

  /** The spec of an admitted pod has changed. */
  async podChanged(before: Pod | undefined, pod: Pod): Promise<void> {
    const { status, observer } = this.#deps;
    const { uid } = referenceOf(pod);
    const changes = before ? findResourceChanges(before, pod) : [];
    for (const change of changes) observer.resizeRequested(change);
    if (before && changes.length === 0 && !changesPodLevel(before, pod)) return;
    if (this.#ledger.decided(pod) !== pod) {
      this.pushPendingResize(uid);
      await this.retryPendingResizes('pod_updated');
    } else {
      // The user has reverted the resize.
      this.#resizes.remove(uid);
      status.clearResizePending(uid);
    }
  }

  /** Resources that pods have freed may be enough for a pending resize. */
  podUpdated(pod: Pod, status: PodStatus): void {
    const { uid = '' } = pod.metadata;
    const before = this.#lastPods.get(uid);
    const now = { ...this.#ledger.allocated(pod), status };
    this.#lastPods.set(uid, now);
    const trigger = before && this.#resizes.size > 0 ? whatWasFreed(before, now) : null;
    if (trigger) this.#retrySoon(trigger);
  }

  /** Nothing of the pod runs any more. */
  podRemoved(pod: Pod): void {
    this.#lastPods.delete(pod.metadata.uid ?? '');
    this.#retrySoon('pod_terminated');
  }

  pushPendingResize(uid: string): void {
    this.#resizes.push(uid);
  }

  /** Never rejects. */
  retryPendingResizes(trigger: ResizeTrigger): Promise<void> {
    return this.#resizes.retry(trigger);
  }

  /** The source has removed the pod. */
  removePod(uid: string): void {
    this.#forget(uid);
    this.#ledger.remove(uid);
    this.#retrySoon('pods_removed');
  }

  /** Forgets every pod but these (KL-64, step 7). */
  removeOrphanedPods(remaining: ReadonlySet<string>): void {
    for (const uids of [this.#outside, this.#lastPods.keys()]) {
      for (const uid of uids) if (!remaining.has(uid)) this.#forget(uid);
    }
    this.#ledger.removeOrphans(remaining);
  }

  #forget(uid: string): void {
    this.#outside.delete(uid);
    this.#lastPods.delete(uid);
    this.#resizes.remove(uid);
    this.#preemption.forget(uid);
  }

  /** Retries after the caller has returned, so that the caller is not called back from within its own call. */
  #retrySoon(trigger: ResizeTrigger): void {
    if (this.#resizes.size === 0) return;
    queueMicrotask(() => void this.retryPendingResizes(trigger));
  }

  #admit(pod: Pod, node: AdmissionNode | null): AdmissionDecision {
    this.#otherPods?.delete(referenceOf(pod).uid);
    const decision = this.#otherPods && admit(this.#view(pod, node, this.#otherPods));
    if (decision?.rejection === null && decision.victims.length === 0) return decision;
    this.#otherPods = this.#countOthers(pod);
    return admit(this.#view(pod, node, this.#otherPods));
  }

  #countOthers(pod: Pod): OtherPods {
    const { uid } = referenceOf(pod);
    const others = this.#deps.activePods().filter(({ metadata: { uid: other = '' } }) => {
      return other !== uid && !this.#outside.has(other) && !this.#preemption.isLeaving(other);
    });
    return new OtherPods(others.map((other) => this.#ledger.decided(other)));
  }

  #view(pod: Pod, node: AdmissionNode | null, others: Others): AdmissionView {
    const { node: facts, isShuttingDown } = this.#deps;
    return {
      pod,
      others,
      node,
      allocatable: facts.allocatable(),
      pressures: facts.pressures(),
      platform: facts.platform,
      isShuttingDown: isShuttingDown?.() ?? false,
    };
  }
}
