/**
 * Limits requests to the rate of kubeAPIQPS and kubeAPIBurst (KL-107), in the order of arrival. A request
 * that is aborted while it waits takes no token.
 */
import { offAbort, onAbort } from '../lib/abort-listeners.ts';
import { TokenBucket } from '../lib/token-bucket.ts';
import type { Cancel, Clock } from '../ports/clock.ts';

export interface RateLimit {
  /** Requests per second. -1: no limit. */
  readonly qps: number;
  readonly burst: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #waiting = new Set<() => void>();
  #cancelTimer: Cancel | null = null;

  constructor({ qps, burst }: RateLimit, clock: Clock) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(qps, burst, clock.monotonic());
  }

  /** Resolves when the next request may be sent. */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waiting.size === 0 && this.#take()) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(go);
        reject(signal?.reason);
      };
      const go = (): void => {
        offAbort(signal, leave);
        resolve();
      };
      onAbort(signal, leave);
      this.#waiting.add(go);
      this.#setTimer();
    });
  }

  #take(): boolean {
    const nowMs = this.#clock.monotonic();
    if (this.#bucket.waitMs(nowMs) > 0) return false;
    this.#bucket.take(nowMs);
    return true;
  }

  #setTimer(): void {
    if (this.#cancelTimer) return;
    const delayMs = this.#bucket.waitMs(this.#clock.monotonic());
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#cancelTimer = null;
      this.#serve();
    });
  }

  #serve(): void {
    for (const go of this.#waiting) {
      if (!this.#take()) return this.#setTimer();
      this.#waiting.delete(go);
      go();
    }
  }
}
