/**
 * Admits or rejects pods for the sync loop, and reports rejections in an Event and in the pod's status
 * (KL-59, KL-62).
 *
 * The node's labels in the API may be newer than podkeep's copy. So a rejection for node affinity is not
 * reported immediately: podkeep reads the Node again first, while other pods proceed.
 */
import type { Pod } from '../../api/pod.ts';
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { NODE_AFFINITY } from '../../core/admission/predicates.ts';
import { rejectionStatus, type Rejection } from '../../core/admission/rejection.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { AllocationManager } from '../allocation/allocation-manager.ts';
import type { PodAdmission } from '../sync-loop/sync-loop.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface NodeAdmissionDeps {
  readonly allocations: AllocationManager;
  readonly status: Pick<StatusManager, 'setPodStatus'>;
  readonly events: EventRecorder;
  readonly log: Log;
  /** For metrics. */
  readonly podRejected: (reason: string) => void;
  /** Reads the Node again. Absent: there is no API server. */
  readonly readNode?: () => Promise<AdmissionNode | null>;
}

export class NodeAdmission implements PodAdmission {
  readonly #deps: NodeAdmissionDeps;
  /** Pods that were rejected for node labels that may be outdated. */
  readonly #undecided = new Map<string, Rejection>();
  #added: Pod[] = [];

  constructor(deps: NodeAdmissionDeps) {
    this.#deps = deps;
  }

  admit(pod: Pod): boolean {
    const { allocations, readNode } = this.#deps;
    const rejection = allocations.admit(pod);
    if (!rejection) this.#admitted(pod);
    else if (rejection.reason === NODE_AFFINITY && readNode) {
      this.#undecided.set(referenceOf(pod).uid, rejection);
      return true;
    } else this.#reject(pod, rejection);
    return rejection === null;
  }

  async durable(pod: Pod): Promise<void> {
    const { uid } = referenceOf(pod);
    const rejection = this.#undecided.get(uid);
    if (rejection && !(await this.#reconsider(pod, rejection))) return;
    await this.#deps.allocations.durable(pod);
  }

  changed(before: Pod | undefined, pod: Pod): void {
    void this.#deps.allocations.podChanged(before, pod);
  }

  removed(pod: Pod): void {
    const { uid } = referenceOf(pod);
    this.#undecided.delete(uid);
    this.#deps.allocations.removePod(uid);
  }

  /** Whether the pod is admitted with the newest labels. */
  async #reconsider(pod: Pod, first: Rejection): Promise<boolean> {
    const { allocations } = this.#deps;
    const { uid } = referenceOf(pod);
    const node = await this.#readNode();
    // If the pod was deleted meanwhile, there is nothing to report.
    if (!this.#undecided.delete(uid)) return false;
    const rejection = node ? allocations.admit(pod, node) : first;
    if (rejection) this.#reject(pod, rejection);
    else this.#admitted(pod);
    return rejection === null;
  }

  async #readNode(): Promise<AdmissionNode | null> {
    const { readNode, log } = this.#deps;
    try {
      return (await readNode?.()) ?? null;
    } catch (error) {
      log.warn('Failed to read the Node for another admission attempt; rejecting the pod', {
        error,
      });
      return null;
    }
  }

  /** No resize is granted before all pods of one burst are admitted. */
  #admitted(pod: Pod): void {
    this.#added.push(pod);
    if (this.#added.length > 1) return;
    queueMicrotask(() => {
      const added = this.#added;
      this.#added = [];
      void this.#deps.allocations.podsAdded(added);
    });
  }

  #reject(pod: Pod, rejection: Rejection): void {
    const { events, status, podRejected } = this.#deps;
    events.record(referenceOf(pod), 'Warning', rejection.reason, rejection.message);
    status.setPodStatus(pod, rejectionStatus(pod, rejection));
    podRejected(rejection.reason);
  }
}
