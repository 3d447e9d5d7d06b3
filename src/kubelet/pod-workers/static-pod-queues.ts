/** The queues of static pods, one for each full name in use; each queue is a pure state machine. */
import * as staticPodQueue from '../../core/pod-worker/static-pod-queue.ts';

export class StaticPodQueues {
  readonly #lines = new Map<string, staticPodQueue.State>();

  send(fullName: string, event: staticPodQueue.Event): readonly staticPodQueue.Effect[] {
    const line = this.#lines.get(fullName) ?? staticPodQueue.initial;
    const { state, effects } = staticPodQueue.decide(line, event);
    if (state === staticPodQueue.initial) this.#lines.delete(fullName);
    else this.#lines.set(fullName, state);
    return effects;
  }

  /** The UID of the pod that has the name. */
  holder(fullName: string): string | null {
    return this.#lines.get(fullName)?.holder ?? null;
  }
}
