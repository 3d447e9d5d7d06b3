/**
 * Reads the Events of an object, oldest first, from both APIs: core/v1 has the count in the Event,
 * events.k8s.io in its series.
 */
import type { JsonObject } from '../../lib/json.ts';
import { countAt, msAt, wordAt } from './loose-json.ts';

export interface EventView {
  readonly reason: string;
  readonly message: string;
  readonly isWarning: boolean;
  readonly count: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  readonly source: string;
  /** The container that it is about. Empty: the whole object. */
  readonly container: string;
}

export function readEvents(events: readonly JsonObject[]): readonly EventView[] {
  return events
    .map(readEvent)
    .toSorted((a, b) => (a.lastMs ?? 0) - (b.lastMs ?? 0) || (a.firstMs ?? 0) - (b.firstMs ?? 0));
}

function readEvent(event: JsonObject): EventView {
  const createdMs = msAt(event, 'metadata', 'creationTimestamp');
  const firstMs = msAt(event, 'firstTimestamp') ?? msAt(event, 'eventTime') ?? createdMs;
  const lastMs = msAt(event, 'series', 'lastObservedTime') ?? msAt(event, 'lastTimestamp');
  const field = wordAt(event, 'involvedObject', 'fieldPath');
  return {
    reason: wordAt(event, 'reason'),
    message: wordAt(event, 'message') || wordAt(event, 'note'),
    isWarning: wordAt(event, 'type') === 'Warning',
    count: Math.max(1, countAt(event, 'series', 'count') || countAt(event, 'count')),
    firstMs,
    lastMs: lastMs ?? firstMs,
    source: wordAt(event, 'reportingComponent') || wordAt(event, 'source', 'component'),
    container: /^spec\.(?:initC|c)ontainers\{([^}]*)\}$/.exec(field)?.[1] ?? '',
  };
}

/** The newest Event of one of these reasons. */
export function lastEvent(
  events: readonly EventView[],
  reasons: readonly string[],
  isMeant: (event: EventView) => boolean = () => true,
): EventView | undefined {
  return events.findLast((event) => reasons.includes(event.reason) && isMeant(event));
}
