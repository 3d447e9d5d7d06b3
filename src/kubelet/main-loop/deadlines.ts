/**
 * Has a pod looked at when its time is over (activeDeadlineSeconds, KL-24). That it is over is for the
 * sync to see; without this, it would see it up to a minute late.
 *
 *     status with a start time ──> timer ──> sync
 *
 * The kubelet asks every pod every second; here each has a timer of its own, and only if it has a
 * deadline.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { parseTime } from '../../api/time.ts';
import { isTerminalPhase } from '../../core/pod-facts.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StatusSubscriber } from '../../ports/status-subscriber.ts';

export interface DeadlinesRoom {
  readonly clock: Clock;
  /** Asks for a look at the pod. */
  readonly sync: (podUid: string) => void;
}

interface Timer {
  readonly dueMs: number;
  readonly cancel: Cancel;
}

export class Deadlines implements StatusSubscriber {
  readonly #room: DeadlinesRoom;
  readonly #timers = new Map<string, Timer>();

  constructor(room: DeadlinesRoom) {
    this.#room = room;
  }

  podUpdated(pod: Pod, status: PodStatus): void {
    const { uid = '' } = pod.metadata;
    const dueMs = deadlineOf(pod, status);
    if (this.#timers.get(uid)?.dueMs === dueMs) return;
    this.#forget(uid);
    const { clock, sync } = this.#room;
    // One that is past was seen by whoever made this status.
    if (dueMs === null || dueMs <= clock.now()) return;
    const cancel = clock.after(dueMs - clock.now(), () => {
      this.#timers.delete(uid);
      sync(uid);
    });
    this.#timers.set(uid, { dueMs, cancel });
  }

  podRemoved(pod: Pod): void {
    this.#forget(pod.metadata.uid ?? '');
  }

  stop(): void {
    for (const uid of this.#timers.keys()) this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#timers.get(uid)?.cancel();
    this.#timers.delete(uid);
  }
}

/** Null: it has none, or it is over already. */
function deadlineOf({ spec }: Pod, { startTime, phase }: PodStatus): number | null {
  const seconds = spec.activeDeadlineSeconds ?? null;
  if (seconds === null || !startTime || isTerminalPhase(phase)) return null;
  return parseTime(startTime).ms + seconds * 1000;
}
