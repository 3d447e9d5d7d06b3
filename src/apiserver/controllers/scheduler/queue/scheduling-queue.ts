/**
 * The scheduling queue: holds pending pods and picks the next one to schedule.
 *
 *     new ──> active ──> tried ──refused──> unschedulable ──a change could help, or 5 minutes──┐
 *               ↑                  └failed─> backing off <────────────────────────────────────┘
 *               └──────────────────────────────┘ after 1 s to 10 s
 *
 * Higher priority goes first, then earlier arrival. While no pod is active, a refused pod may be taken before
 * its back-off ends: a pod that was created before the first node need not wait out its back-off of 1 s.
 * This is allowed only five times per pod; otherwise a full cluster would be tried all the time. After a
 * failure of the scheduler itself the back-off is never shortened.
 *
 * Each operation takes logarithmic time: outdated entries stay in a heap until they are popped, and are
 * skipped then.
 */
import type { Clock } from '../../../../ports/clock.ts';
import { OrderedHeap } from './ordered-heap.ts';

const BACKOFF_MS_MIN = 1000;
const BACKOFF_MS_MAX = 10_000;
/** Pods whose back-off ends in the same second are ordered by priority. */
const WINDOW_MS = 1000;
const UNSCHEDULABLE_MS_MAX = 5 * 60_000;
/** How many back-offs of a pod may be shortened. */
const SHORT_BACKOFFS_MAX = 5;

interface Queued {
  readonly key: string;
  readonly priority: number;
  /** The order of arrival. */
  readonly number: number;
  readonly attempts: number;
  readonly notBeforeMs: number;
}

export class SchedulingQueue {
  readonly #clock: Clock;
  /** The current entry of each pod, in whichever heap it is. */
  readonly #pods = new Map<string, Queued>();
  readonly #active = new OrderedHeap<Queued>(isMoreUrgent);
  readonly #backingOff = new OrderedHeap<Queued>(isEarlier);
  /** Pods whose back-off may not be shortened. */
  readonly #resting = new OrderedHeap<Queued>(isEarlier);
  /** When each pod was refused, the earliest first. */
  readonly #unschedulable = new Map<string, number>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a new pod, or one whose own spec has changed. A known pod keeps its position and its back-off. */
  add(key: string, priority: number): void {
    const known = this.#pods.get(key);
    const { number = this.#count++, attempts = 0, notBeforeMs = 0 } = known ?? {};
    this.#enqueue({ key, priority, number, attempts, notBeforeMs });
  }

  delete(key: string): void {
    this.#pods.delete(key);
    this.#unschedulable.delete(key);
  }

  /** No node fits: the pod waits until `wake` finds that a change could help. */
  refused(key: string): void {
    if (!this.#pods.has(key)) return;
    this.#unschedulable.delete(key);
    this.#unschedulable.set(key, this.#clock.monotonic());
  }

  /** The attempt failed for reasons other than the pod: it is retried after its back-off. */
  failed(key: string): void {
    const queued = this.#pods.get(key);
    if (!queued) return;
    this.#unschedulable.delete(key);
    const again = { ...queued };
    this.#pods.set(key, again);
    this.#resting.push(again);
  }

  /** Called after a change of the cluster. True: a pod may be tried now or after its back-off. */
  wake(couldHelp: (key: string) => boolean): boolean {
    let isAny = false;
    for (const key of this.#unschedulable.keys()) {
      if (!couldHelp(key)) continue;
      this.#retry(key);
      isAny = true;
    }
    return isAny;
  }

  /** Takes the next pod. The caller then reports the result with `refused`, `failed` or `delete`. */
  next(): string | undefined {
    this.#flush();
    const queued = this.#popCurrent(this.#active) ?? this.#popCurrent(this.#backingOff);
    if (!queued) return undefined;
    const { attempts } = queued;
    const backoffMs = Math.min(BACKOFF_MS_MIN * 2 ** attempts, BACKOFF_MS_MAX);
    const notBeforeMs = this.#clock.monotonic() + backoffMs;
    this.#pods.set(queued.key, { ...queued, attempts: attempts + 1, notBeforeMs });
    return queued.key;
  }

  /** Milliseconds until the next pod can be taken if nothing changes. Undefined: no pod is waiting. */
  get restMs(): number | undefined {
    if (this.#peekCurrent(this.#active) || this.#peekCurrent(this.#backingOff)) return 0;
    const times: number[] = [];
    const resting = this.#peekCurrent(this.#resting);
    if (resting) times.push(resting.notBeforeMs);
    for (const sinceMs of this.#unschedulable.values()) {
      times.push(sinceMs + UNSCHEDULABLE_MS_MAX);
      break;
    }
    if (times.length === 0) return undefined;
    return Math.max(Math.min(...times) - this.#clock.monotonic(), 0);
  }

  /** Activates pods whose back-off has ended, and pods that have been unschedulable for too long. */
  #flush(): void {
    const nowMs = this.#clock.monotonic();
    for (const heap of [this.#backingOff, this.#resting]) {
      for (;;) {
        const queued = this.#peekCurrent(heap);
        if (!queued || queued.notBeforeMs > nowMs) break;
        heap.pop();
        this.#active.push(queued);
      }
    }
    for (const [key, sinceMs] of this.#unschedulable) {
      if (nowMs - sinceMs < UNSCHEDULABLE_MS_MAX) break;
      this.#retry(key);
    }
  }

  #retry(key: string): void {
    const queued = this.#pods.get(key);
    if (queued) this.#enqueue({ ...queued });
  }

  #enqueue(queued: Queued): void {
    this.#unschedulable.delete(queued.key);
    this.#pods.set(queued.key, queued);
    if (queued.notBeforeMs <= this.#clock.monotonic()) this.#active.push(queued);
    else if (queued.attempts > SHORT_BACKOFFS_MAX) this.#resting.push(queued);
    else this.#backingOff.push(queued);
  }

  #popCurrent(heap: OrderedHeap<Queued>): Queued | undefined {
    const queued = this.#peekCurrent(heap);
    if (queued) heap.pop();
    return queued;
  }

  /** Drops entries of pods that were deleted or queued again. */
  #peekCurrent(heap: OrderedHeap<Queued>): Queued | undefined {
    for (;;) {
      const queued = heap.peek();
      if (!queued || this.#pods.get(queued.key) === queued) return queued;
      heap.pop();
    }
  }
}

function isMoreUrgent(a: Queued, b: Queued): boolean {
  return a.priority === b.priority ? a.number < b.number : a.priority > b.priority;
}

function isEarlier(a: Queued, b: Queued): boolean {
  const [first, second] = [a, b].map(({ notBeforeMs }) => Math.floor(notBeforeMs / WINDOW_MS));
  if (first !== second) return (first ?? 0) < (second ?? 0);
  return isMoreUrgent(a, b);
}
