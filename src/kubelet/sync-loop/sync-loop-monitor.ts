/**
 * Detects a sync loop that hangs, for the kubelet's health check `syncloop` (KL-55).
 *
 * The sync loop handles inputs when they arrive, so it may be idle for hours. So a timer fires every ten
 * seconds: if it has not fired for five minutes, the event loop of this process hangs.
 */
import type { Cancel, Clock } from '../../ports/clock.ts';

const TURN_MS = 10_000;
const HUNG_MS = 300_000;

export class SyncLoopMonitor {
  readonly #clock: Clock;
  /** When the timer last fired, by the clock's `monotonic`. Null: the monitor was not started. */
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

  /** The kubelet's message if the sync loop hangs. Null: it does not. */
  unhealthy(): string | null {
    if (this.#turnedAtMs === null) return null;
    const isLate = this.#clock.monotonic() - this.#turnedAtMs > HUNG_MS;
    return isLate ? 'sync Loop took longer than expected' : null;
  }
}
