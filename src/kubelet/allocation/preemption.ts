/**
 * Kills the pods that a critical pod preempts, and lets admitted pods wait until the killed pods have
 * stopped.
 *
 * A victim counts as taking no capacity from the moment it is chosen; otherwise further victims would be
 * chosen for the next pod. So if a pod is admitted while a victim still runs, it waits until the victim has
 * stopped. (Kubernetes' kubelet admits no pod meanwhile.)
 */
import type { Pod } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import {
  PREEMPTED_MESSAGE,
  preemptedStatus,
  PREEMPTING,
} from '../../core/admission/preempted-status.ts';
import { referenceOf } from '../pod-workers/update-options.ts';
import type { AllocationDeps } from './allocation-deps.ts';

export class Preemption {
  readonly #deps: AllocationDeps;
  /** By the UID of the victim: resolves when it has stopped. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** By the UID of the admitted pod. */
  readonly #waits = new Map<string, Promise<unknown>>();

  constructor(deps: AllocationDeps) {
    this.#deps = deps;
  }

  isLeaving(uid: string): boolean {
    return this.#leaving.has(uid);
  }

  /**
   * Frees capacity for `uid`: kills these victims, if any, and lets `uid` wait for all victims that are
   * still stopping. Null: there is nothing to wait for.
   */
  make(uid: string, victims: readonly Pod[], shortOf: string | undefined): Promise<unknown> | null {
    for (const victim of victims) this.#end(victim, shortOf ?? '');
    if (this.#leaving.size === 0) return null;
    const made = Promise.all(this.#leaving.values());
    this.#waits.set(uid, made);
    return made;
  }

  /** Resolves when there is capacity for the pod. */
  async made(uid: string): Promise<void> {
    await this.#waits.get(uid);
    this.#waits.delete(uid);
  }

  forget(uid: string): void {
    this.#waits.delete(uid);
  }

  #end(victim: Pod, shortOf: string): void {
    const { events, killPod, clock, log, observer } = this.#deps;
    const reference = referenceOf(victim);
    events.record(reference, 'Warning', PREEMPTING, PREEMPTED_MESSAGE);
    const now = formatTime(clock.now());
    const end = killPod(victim, {
      evict: true,
      overrideStatus: (status) => preemptedStatus(victim, status, now),
    });
    const settled = end.then(
      () => observer.podPreempted(shortOf),
      // The kill goes on, but the pods that wait for the capacity do not wait any longer.
      (error: unknown) => log.error('Failed to evict pod', { pod: reference, error }),
    );
    this.#leaving.set(
      reference.uid,
      settled.finally(() => this.#leaving.delete(reference.uid)),
    );
  }
}
