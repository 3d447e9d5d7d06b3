/**
 * Pods that wait for a node, and whose turn it is.
 *
 *     new ──> ready ──> tried ──found none──> resting ──something changed──> ready, not too soon
 *
 * Higher priority goes first, then whoever has waited longer. A pod that found no node is not tried
 * again before something changed that it can hope for, and then after a while that doubles each time.
 * While nobody else wants a turn, its first rests are cut short: a pod that came before the first node
 * of a cluster need not wait for a second. After a failure of our own nobody is that quick.
 */
import type { Clock } from '../../../ports/clock.ts';
import type { Hope } from './refusal.ts';

const ANYTHING: ReadonlySet<Hope> = new Set(['nodes', 'pods', 'volumes']);
const REST_MS_MIN = 1000;
const REST_MS_MAX = 10_000;
/** So many rests may be cut short; after that a full cluster would be asked again and again. */
const SHORT_RESTS_MAX = 5;

interface Waiting {
  readonly key: string;
  readonly priority: number;
  /** The order in which they came. */
  readonly number: number;
  isReady: boolean;
  /** Nothing cuts its rest short. */
  mustRest: boolean;
  hopes: ReadonlySet<Hope>;
  attempts: number;
  notBeforeMs: number;
}

export class WaitingLine {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: string, priority: number): void {
    const known = this.#waiting.get(key);
    const { number = this.#count++, attempts = 0, notBeforeMs = 0 } = known ?? {};
    const mustRest = attempts > SHORT_RESTS_MAX;
    const turn = { attempts, notBeforeMs, mustRest, hopes: ANYTHING, isReady: true };
    this.#waiting.set(key, { key, priority, number, ...turn });
  }

  /** Its turn went wrong, through no fault of its own: it gets another when it has rested. */
  failed(key: string): void {
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    waiting.isReady = true;
    waiting.mustRest = true;
  }

  delete(key: string): void {
    this.#waiting.delete(key);
  }

  /** It found no node, and only this can change that. */
  rest(key: string, hopes: ReadonlySet<Hope>): void {
    const waiting = this.#waiting.get(key);
    if (waiting) waiting.hopes = hopes;
  }

  /** Something changed. True: somebody may be tried now or soon. */
  wake(change: Hope): boolean {
    let isAnyReady = false;
    for (const waiting of this.#waiting.values()) {
      if (waiting.hopes.has(change)) waiting.isReady = true;
      isAnyReady ||= waiting.isReady;
    }
    return isAnyReady;
  }

  /** Takes the turn of the next one. Until something changes it does not get another. */
  next(): string | undefined {
    const nowMs = this.#clock.monotonic();
    let best: Waiting | undefined;
    for (const waiting of this.#waiting.values()) {
      const isResting = waiting.notBeforeMs > nowMs;
      if (!waiting.isReady || (isResting && waiting.mustRest)) continue;
      if (!best || isBefore(waiting, best, nowMs)) best = waiting;
    }
    if (!best) return undefined;
    const restMs = Math.min(REST_MS_MIN * 2 ** best.attempts, REST_MS_MAX);
    best.isReady = false;
    best.hopes = ANYTHING;
    best.attempts += 1;
    best.mustRest = best.attempts > SHORT_RESTS_MAX;
    best.notBeforeMs = nowMs + restMs;
    return best.key;
  }

  /** In how many milliseconds somebody who is ready has rested enough; undefined: nobody is ready. */
  get restMs(): number | undefined {
    const times = [...this.#waiting.values()].flatMap(({ isReady, notBeforeMs }) =>
      isReady ? notBeforeMs : [],
    );
    return times.length === 0
      ? undefined
      : Math.max(Math.min(...times) - this.#clock.monotonic(), 0);
  }
}

/** Whoever has rested goes before whoever has not. */
function isBefore(a: Waiting, b: Waiting, nowMs: number): boolean {
  const [isResting, otherRests] = [a.notBeforeMs > nowMs, b.notBeforeMs > nowMs];
  if (isResting !== otherRests) return otherRests;
  return a.priority === b.priority ? a.number < b.number : a.priority > b.priority;
}
