/**
 * Compares the status of every pod with the API once in each period, a few pods at a time (SM-4, SM-59).
 *
 *     |<------------------------- period ------------------------->|
 *     · · · chunk · · · chunk · · · chunk · · · chunk · · · chunk · |
 *
 * Comparing all pods at once would cause a peak of work and requests every ten seconds. The first check is
 * one period after the start.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

export interface ReconcilerOptions {
  readonly clock: Clock;
  readonly periodMs: number;
  /** The UIDs of all current pods. */
  readonly uids: () => readonly string[];
  readonly look: (uid: string) => void;
}

/** As many pods as take about a millisecond. */
const CHUNK_PODS = 50;

export class Reconciler {
  readonly #options: ReconcilerOptions;
  #cancel: Cancel = () => {};

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, periodMs } = this.#options;
    this.#cancel();
    this.#cancel = clock.after(periodMs, () => this.#round());
  }

  stop(): void {
    this.#cancel();
  }

  #round(): void {
    const uids = this.#options.uids();
    const chunks = Math.max(Math.ceil(uids.length / CHUNK_PODS), 1);
    this.#lookAt(uids, this.#options.periodMs / chunks);
  }

  #lookAt(uids: readonly string[], gapMs: number): void {
    const { clock, look } = this.#options;
    const rest = uids.slice(CHUNK_PODS);
    const next = rest.length > 0 ? () => this.#lookAt(rest, gapMs) : () => this.#round();
    // The next check is scheduled before this one starts, even if this one throws.
    this.#cancel = clock.after(gapMs, next);
    for (const uid of uids.slice(0, CHUNK_PODS)) look(uid);
  }
}
