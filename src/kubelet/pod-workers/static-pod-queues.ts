/**
 * Holds the queues of static pods, one for each full name in use; core/pod-worker/static-pod-queue.ts
 * decides.
 */
import * as staticPodQueue from '../../core/pod-worker/static-pod-queue.ts';

export class StaticPodQueues {
  readonly #queues = new Map<string, staticPodQueue.State>();

  send(fullName: string, event: staticPodQueue.Event): readonly staticPodQueue.Effect[] {
    const queue = this.#queues.get(fullName) ?? staticPodQueue.initial;
    const { state, effects } = staticPodQueue.decide(queue, event);
    if (state === staticPodQueue.initial) this.#queues.delete(fullName);
    else this.#queues.set(fullName, state);
    return effects;
  }

  /** The UID of the pod that has the name. */
  holder(fullName: string): string | null {
    return this.#queues.get(fullName)?.holder ?? null;
  }
}
