/**
 * Syncs a pod when its activeDeadlineSeconds has passed (KL-24). The sync itself detects this; without the
 * timer it would do so up to a minute late.
 *
 *     status with a start time ──> timer ──> sync
 *
 * Kubernetes' kubelet checks every pod every second; in podkeep each pod with a deadline has a timer.
 */
import type { Pod, PodStatus } from '../../api/pod.ts';
import { parseTime } from '../../api/values/time.ts';
import { isTerminalPhase } from '../../core/pod/pod-facts.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StatusSubscriber } from '../../ports/observe/status-subscriber.ts';

export interface DeadlinesDeps {
  readonly clock: Clock;
  /** Requests a sync of the pod. */
  readonly sync: (podUid: string) => void;
}

interface Timer {
  readonly dueMs: number;
  readonly cancel: Cancel;
}

export class Deadlines implements StatusSubscriber {
  readonly #deps: DeadlinesDeps;
  readonly #timers = new Map<string, Timer>();

  constructor(deps: DeadlinesDeps) {
    this.#deps = deps;
  }

  podUpdated(pod: Pod, status: PodStatus): void {
    const { uid = '' } = pod.metadata;
    const dueMs = deadlineOf(pod, status);
    if (this.#timers.get(uid)?.dueMs === dueMs) return;
    this.#forget(uid);
    const { clock, sync } = this.#deps;
    // The sync that computed this status has already seen a deadline in the past.
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

/** Null: the pod has no deadline, has not started, or has ended. */
function deadlineOf({ spec }: Pod, { startTime, phase }: PodStatus): number | null {
  const seconds = spec.activeDeadlineSeconds ?? null;
  if (seconds === null || !startTime || isTerminalPhase(phase)) return null;
  return parseTime(startTime).ms + seconds * 1000;
}
