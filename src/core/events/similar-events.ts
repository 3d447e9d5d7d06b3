/**
 * Combines Events that differ only in their messages, such as a message with a number in it.
 *
 *     messages 1 to 9 ──> an event each
 *     messages 10, 11, … ──> one event, which shows the newest message
 *
 * The count starts over after more than ten minutes without a similar event. Messages beyond the limit are
 * not remembered, so the first nine keep their events, and every new message joins the combined event.
 * (Kubernetes' kubelet forgets an arbitrary one of the ten.)
 */
import type { Time } from '../../api/meta.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { repeatKey, similarKey, type ApiEvent } from './api-event.ts';

/** The time and the name for an event. */
export interface Moment {
  readonly time: Time;
  /** A reading of a monotonic clock. */
  readonly monotonicMs: number;
  /** For an event that is created now. */
  readonly name: string;
}

export interface Keyed {
  readonly event: ApiEvent;
  /** Repeats of the event are counted under this key. */
  readonly key: string;
}

interface Group {
  readonly messages: Set<string>;
  lastMs: number;
}

const MESSAGES_MAX = 10;
const INTERVAL_MS = 600_000;
const PREFIX = '(combined from similar events): ';

export class SimilarEvents {
  readonly #groups: LruMap<string, Group>;

  constructor(remembered: number) {
    this.#groups = new LruMap(remembered);
  }

  combine(event: ApiEvent, moment: Moment): Keyed {
    const key = similarKey(event);
    const group = this.#groupOf(key, moment.monotonicMs);
    group.lastMs = moment.monotonicMs;
    if (group.messages.has(event.message) || group.messages.size < MESSAGES_MAX - 1) {
      group.messages.add(event.message);
      return { event, key: repeatKey(event) };
    }
    return { event: combined(event, moment), key };
  }

  #groupOf(key: string, nowMs: number): Group {
    const known = this.#groups.get(key);
    if (known && nowMs - known.lastMs <= INTERVAL_MS) return known;
    const fresh: Group = { messages: new Set(), lastMs: nowMs };
    this.#groups.set(key, fresh);
    return fresh;
  }
}

/** A new event without a reporting component, as client-go does it. */
function combined(event: ApiEvent, { time, name }: Moment): ApiEvent {
  return {
    ...event,
    metadata: { ...event.metadata, name },
    message: `${PREFIX}${event.message}`,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    reportingComponent: '',
    reportingInstance: '',
  };
}
