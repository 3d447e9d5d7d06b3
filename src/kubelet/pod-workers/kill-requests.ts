/**
 * Holds open kill requests: for each kill, the callback to call when it is completed, and the function by
 * which it sets the pod's status.
 *
 * The state machine knows a kill only by its number. That keeps functions out of its state, so a history of
 * events can be recorded and replayed.
 */
import type { KillId } from '../../core/pod-worker/event.ts';
import type { StatusOverride } from '../../ports/pod/pod-sync.ts';
import type { KillOptions } from './update-options.ts';

export class KillRequests {
  readonly #open = new Map<KillId, KillOptions>();
  #last: KillId = 0;

  add(options: KillOptions | undefined): KillId {
    this.#last += 1;
    if (options?.completed || options?.overrideStatus) this.#open.set(this.#last, options);
    return this.#last;
  }

  overrideStatus(id: KillId | null): StatusOverride | null {
    if (id === null) return null;
    return this.#open.get(id)?.overrideStatus ?? null;
  }

  complete(ids: readonly KillId[]): void {
    for (const id of ids) {
      const completed = this.#open.get(id)?.completed;
      this.#open.delete(id);
      completed?.();
    }
  }
}
