/**
 * Decides whether an Event is created, patched into an earlier one or dropped, so that a failing pod does not
 * flood the API.
 *
 *     event ──> similar? ──────> seen before? ──────> budget left? ──> create it, or patch the old one
 *               (combined)       (count + 1)          (no: nothing is sent, but it was counted)
 *
 * The rules and numbers are those of client-go's EventCorrelator, which Kubernetes' kubelet uses. The
 * correlator remembers earlier Events, but has no clock: the caller passes the time. It does not depend on
 * the API's answers, because podkeep chooses the names and the counts.
 *
 * Invariants:
 *   1. All events of one key have one name and one firstTimestamp, as long as the key is remembered.
 *   2. Their counts are 1, 2, 3, … in the order of their arrival; an event that is not sent is counted, too.
 *   3. Of one object, source and type, at most 25 events are sent in a burst, then one in five minutes.
 */
import type { Time } from '../../api/meta.ts';
import type { JsonObject } from '../../lib/json.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import { budgetKey, type ApiEvent } from './api-event.ts';
import { SimilarEvents, type Moment } from './similar-events.ts';

/** The request to send for an Event. */
export interface Correlated {
  /** The whole event, if it has to be created. */
  readonly event: ApiEvent;
  /** A strategic merge patch of the existing event. Null: there is none yet. */
  readonly patch: JsonObject | null;
}

interface LastEvent {
  readonly name: string;
  readonly firstTimestamp: Time;
  readonly count: number;
}

/** The size of each of the three LRU caches. */
const REMEMBERED_MAX = 4096;
const BUDGET_BURST = 25;
const BUDGET_PER_SECOND = 1 / 300;

export class Correlator {
  readonly #similar = new SimilarEvents(REMEMBERED_MAX);
  readonly #lastReported = new LruMap<string, LastEvent>(REMEMBERED_MAX);
  readonly #budgets = new LruMap<string, TokenBucket>(REMEMBERED_MAX);

  /** Null: nothing to write. */
  correlate(recorded: ApiEvent, moment: Moment): Correlated | null {
    const { event, key } = this.#similar.combine(recorded, moment);
    const counted = this.#count(event, key);
    return this.#spend(event, moment.monotonicMs) ? counted : null;
  }

  #count(event: ApiEvent, key: string): Correlated {
    const before = this.#lastReported.get(key);
    const { name, firstTimestamp, count } = before
      ? { ...before, count: before.count + 1 }
      : { name: event.metadata.name, firstTimestamp: event.firstTimestamp, count: 1 };
    this.#lastReported.set(key, { name, firstTimestamp, count });
    const metadata = { ...event.metadata, name };
    const counted: ApiEvent = { ...event, metadata, firstTimestamp, count };
    return { event: counted, patch: before ? patchOf(counted) : null };
  }

  /** False: there were too many events about this object lately. */
  #spend(event: ApiEvent, nowMs: number): boolean {
    const key = budgetKey(event);
    let budget = this.#budgets.get(key);
    if (!budget) {
      budget = new TokenBucket(BUDGET_PER_SECOND, BUDGET_BURST, nowMs);
      this.#budgets.set(key, budget);
    }
    if (budget.waitMs(nowMs) > 0) return false;
    budget.take(nowMs);
    return true;
  }
}

/** An empty message is left out, as Go's omitempty does. */
function patchOf({ count, lastTimestamp, message }: ApiEvent): JsonObject {
  return { count, lastTimestamp, ...(message !== '' && { message }) };
}
