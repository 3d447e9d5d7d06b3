/**
 * Compacts the history of a store in the background, to keep it within its limits.
 *
 * It starts when the oldest commit exceeds the age limit by a margin, or the number of commits exceeds its
 * limit by a margin, so that a run is worth its cost: a store on disk must write which commits it dropped. A
 * run drops a bounded number of commits, and the next run follows immediately if that was not enough;
 * requests are served in between.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Timeline } from './timeline.ts';

export interface HistoryLimits {
  /** About this many commits are kept, if they are not older than `historyMs`. */
  readonly historyMax: number;
  readonly historyMs: number;
}

/** etcd's default retention under Kubernetes. */
const HISTORY_MS = 5 * 60_000;
const HISTORY_MAX = 10_000;
/** The fraction by which the history may exceed a limit. */
const SLACK = 0.1;
const COMMITS_PER_LOOK = 1000;

export function limitsOf(options: Partial<HistoryLimits>): HistoryLimits {
  const { historyMax = HISTORY_MAX, historyMs = HISTORY_MS } = options;
  return { historyMax, historyMs };
}

export class HistoryLimit {
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #timeline: Timeline;
  readonly #forget: (upTo: number) => void;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | null = null;

  constructor(
    clock: Clock,
    limits: HistoryLimits,
    timeline: Timeline,
    forget: (upTo: number) => void,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#timeline = timeline;
    this.#forget = forget;
  }

  /** Must be called whenever the history may have grown. */
  plan(): void {
    const { historyMax, historyMs } = this.#limits;
    const { length, oldestAtMs } = this.#timeline;
    if (oldestAtMs === undefined) return;
    const nowMs = this.#clock.monotonic();
    const isTooLong = length > historyMax * (1 + SLACK);
    const dueMs = isTooLong ? nowMs : oldestAtMs + historyMs * (1 + SLACK);
    if (this.#timer && this.#timer.dueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#timer = { dueMs, cancel: this.#clock.after(dueMs - nowMs, () => this.#look()) };
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #look(): void {
    this.#timer = null;
    const { historyMax, historyMs } = this.#limits;
    const beforeMs = this.#clock.monotonic() - historyMs;
    const upTo = this.#timeline.surplus(historyMax, beforeMs, COMMITS_PER_LOOK);
    if (upTo !== undefined) this.#forget(upTo);
    this.plan();
  }
}
