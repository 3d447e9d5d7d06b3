/**
 * A token bucket: limits the actions per second, with a burst.
 *
 * The caller passes the time. A rate of -1 means no limit, as in KubeletConfiguration.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = Math.max(burst, 1);
    this.#tokens = this.#burst;
    this.#filledAtMs = nowMs;
  }

  /** The time until a token is available. 0: now. */
  waitMs(nowMs: number): number {
    if (this.#perSecond < 0) return 0;
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1000);
  }

  /** Takes a token. Call it only after `waitMs` returned 0. */
  take(nowMs: number): void {
    if (this.#perSecond < 0) return;
    this.#fill(nowMs);
    this.#tokens -= 1;
  }

  #fill(nowMs: number): void {
    const earned = ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(earned, 0));
    this.#filledAtMs = nowMs;
  }
}
