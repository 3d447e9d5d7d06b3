/**
 * Lets pods in or turns them away, and says so (KL-59, KL-62): the main loop's side of admission.
 *
 * The labels of the node may be newer than what podkeep knows of them. A pod that is turned away for
 * them alone is therefore not told yet: the node is read anew first, while other pods go on.
 */
import type { Pod } from '../../api/pod.ts';
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { NODE_AFFINITY } from '../../core/admission/predicates.ts';
import { rejectionStatus, type Rejection } from '../../core/admission/rejection.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { AllocationManager } from '../allocation/allocation-manager.ts';
import type { PodAdmission } from '../main-loop/pod-news.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { StatusManager } from '../status-manager/status-manager.ts';

export interface NodeAdmissionRoom {
  readonly allocations: AllocationManager;
  readonly status: Pick<StatusManager, 'setPodStatus'>;
  readonly events: EventRecorder;
  readonly log: Log;
  /** For metrics. */
  readonly podRejected: (reason: string) => void;
  /** Reads the node anew; without an API server there is nothing newer to read. */
  readonly readNode?: () => Promise<AdmissionNode | null>;
}

export class NodeAdmission implements PodAdmission {
  readonly #room: NodeAdmissionRoom;
  /** Turned away for labels that may be old. */
  readonly #undecided = new Map<string, Rejection>();
  #added: Pod[] = [];

  constructor(room: NodeAdmissionRoom) {
    this.#room = room;
  }

  admit(pod: Pod): boolean {
    const { allocations, readNode } = this.#room;
    const rejection = allocations.admit(pod);
    if (!rejection) this.#letIn(pod);
    else if (rejection.reason === NODE_AFFINITY && readNode) {
      this.#undecided.set(referenceOf(pod).uid, rejection);
      return true;
    } else this.#turnAway(pod, rejection);
    return rejection === null;
  }

  async kept(pod: Pod): Promise<void> {
    const { uid } = referenceOf(pod);
    const rejection = this.#undecided.get(uid);
    if (rejection && !(await this.#reconsider(pod, rejection))) return;
    await this.#room.allocations.kept(pod);
  }

  changed(before: Pod | undefined, pod: Pod): void {
    void this.#room.allocations.podChanged(before, pod);
  }

  removed(pod: Pod): void {
    const { uid } = referenceOf(pod);
    this.#undecided.delete(uid);
    this.#room.allocations.removePod(uid);
  }

  /** Is it let in after all? */
  async #reconsider(pod: Pod, first: Rejection): Promise<boolean> {
    const { allocations } = this.#room;
    const { uid } = referenceOf(pod);
    const node = await this.#readNode();
    // It may have been deleted meanwhile, and then it is nobody's business any more.
    if (!this.#undecided.delete(uid)) return false;
    const rejection = node ? allocations.admit(pod, node) : first;
    if (rejection) this.#turnAway(pod, rejection);
    else this.#letIn(pod);
    return rejection === null;
  }

  async #readNode(): Promise<AdmissionNode | null> {
    const { readNode, log } = this.#room;
    try {
      return (await readNode?.()) ?? null;
    } catch (error) {
      log.warn('the node could not be read anew; a pod is judged by what is known', { error });
      return null;
    }
  }

  /** No resize is granted before all pods of one burst have been let in. */
  #letIn(pod: Pod): void {
    this.#added.push(pod);
    if (this.#added.length > 1) return;
    queueMicrotask(() => {
      const added = this.#added;
      this.#added = [];
      void this.#room.allocations.podsAdded(added);
    });
  }

  #turnAway(pod: Pod, rejection: Rejection): void {
    const { events, status, podRejected } = this.#room;
    events.record(referenceOf(pod), 'Warning', rejection.reason, rejection.message);
    status.setPodStatus(pod, rejectionStatus(pod, rejection));
    podRejected(rejection.reason);
  }
}
