/**
 * Whether the sync loop turns, as the kubelet's health check `syncloop` has it (KL-55).
 *
 * Inputs of the sync loop are handled when they come, so it may rest for hours. This gives it a turn every ten
 * seconds: without one for five minutes, nothing on this node is handled any more.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

const TURN_MS = 10_000;
const HUNG_MS = 300_000;

export class SyncLoopMonitor {
  readonly #clock: Clock;
  /** By the clock's `monotonic`. Null: it has not begun. */
  #turnedAtMs: number | null = null;
  #cancel: Cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#turnedAtMs = this.#clock.monotonic();
    this.#cancel = this.#clock.after(TURN_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  /** Null: it turns. Otherwise the kubelet's words for one that does not. */
  unhealthy(): string | null {
    if (this.#turnedAtMs === null) return null;
    const isLate = this.#clock.monotonic() - this.#turnedAtMs > HUNG_MS;
    return isLate ? 'sync Loop took longer than expected' : null;
  }
}
