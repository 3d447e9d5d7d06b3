/**
 * Ends pods that have to go for a critical one, and tells whoever got their room to wait for it.
 *
 * A victim does not count any more as soon as it is chosen, or the next pod would choose others. So
 * everybody who is let in before it has stopped waits for its end: the kubelet lets in nobody meanwhile.
 */
import type { Pod } from '../../api/pod.ts';
import { formatTime } from '../../api/time.ts';
import {
  PREEMPTED_MESSAGE,
  preemptedStatus,
  PREEMPTING,
} from '../../core/admission/preempted-status.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { AllocationRoom } from './allocation-room.ts';

export class RoomMaker {
  readonly #room: AllocationRoom;
  /** By the UID of the victim: its end. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** By the UID of who was let in. */
  readonly #waits = new Map<string, Promise<unknown>>();

  constructor(room: AllocationRoom) {
    this.#room = room;
  }

  isLeaving(uid: string): boolean {
    return this.#leaving.has(uid);
  }

  /**
   * `uid` gets room: these have to go for it, if any, and it waits for all that are on their way out.
   * Null if there is nothing to wait for.
   */
  make(uid: string, victims: readonly Pod[], shortOf: string | undefined): Promise<unknown> | null {
    for (const victim of victims) this.#end(victim, shortOf ?? '');
    if (this.#leaving.size === 0) return null;
    const made = Promise.all(this.#leaving.values());
    this.#waits.set(uid, made);
    return made;
  }

  /** Resolves when there is room for it. */
  async made(uid: string): Promise<void> {
    await this.#waits.get(uid);
    this.#waits.delete(uid);
  }

  forget(uid: string): void {
    this.#waits.delete(uid);
  }

  #end(victim: Pod, shortOf: string): void {
    const { events, killPod, clock, log, observer } = this.#room;
    const reference = referenceOf(victim);
    events.record(reference, 'Warning', PREEMPTING, PREEMPTED_MESSAGE);
    const now = formatTime(clock.now());
    const end = killPod(victim, {
      evict: true,
      overrideStatus: (status) => preemptedStatus(victim, status, now),
    });
    const settled = end.then(
      () => observer.podPreempted(shortOf),
      // It goes on stopping. Whoever waits for its room has waited long enough.
      (error: unknown) => log.error('a pod did not make room in time', { pod: reference, error }),
    );
    this.#leaving.set(
      reference.uid,
      settled.finally(() => this.#leaving.delete(reference.uid)),
    );
  }
}
