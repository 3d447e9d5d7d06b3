/**
 * Combines events that differ in their words alone, such as a message with a number in it.
 *
 *     words 1 to 9 ──> an event each
 *     words 10, 11, … ──> one event, which shows the newest words
 *
 * The count begins anew when nothing similar was told for more than ten minutes. Of the words beyond
 * the limit none is remembered (the kubelet forgets any one of the ten): so the first nine keep their
 * own events, and whatever is new joins the combined one.
 */
import type { Time } from '../../api/meta.ts';
import { LruMap } from '../../lib/lru-map.ts';
import { repeatKey, similarKey, type ApiEvent } from './api-event.ts';

/** When an event is looked at. */
export interface Moment {
  readonly time: Time;
  /** Of a clock that never runs backward. */
  readonly monotonicMs: number;
  /** For an event that is made now. */
  readonly name: string;
}

export interface Keyed {
  readonly event: ApiEvent;
  /** Under which repeats of it are counted. */
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

/** It is made anew, and says nothing of who reports: that is how client-go does it. */
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
