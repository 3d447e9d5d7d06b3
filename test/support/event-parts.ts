/** Events to record, and a correlator with its clock. */
import { formatTime } from '../../src/api/values/time.ts';
import {
  eventOf,
  type ApiEvent,
  type EventSource,
  type InvolvedObject,
} from '../../src/core/events/api-event.ts';
import { Correlator, type Correlated } from '../../src/core/events/correlator.ts';

export interface EventParts {
  readonly name?: string;
  readonly time?: string;
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  readonly message?: string;
  readonly about?: Partial<InvolvedObject>;
  readonly source?: EventSource;
}

const START_MS = Date.UTC(2030, 0, 1);
const POD: InvolvedObject = {
  kind: 'Pod',
  namespace: 'default',
  name: 'web',
  uid: 'web-uid',
  apiVersion: 'v1',
  fieldPath: 'spec.containers{main}',
};

export function podEvent(parts: EventParts = {}): ApiEvent {
  const { name = 'web.1', time = formatTime(START_MS), type = 'Normal', reason = 'Pulled' } = parts;
  const { message = 'said', about, source = { component: 'kubelet', host: 'node1' } } = parts;
  return eventOf({ about: { ...POD, ...about }, type, reason, message }, source, name, time);
}

export class CorrelatorHarness {
  readonly #correlator = new Correlator();
  #elapsedMs = 0;
  #notified = 0;

  get time(): string {
    return formatTime(START_MS + this.#elapsedMs);
  }

  passSeconds(seconds: number): void {
    this.#elapsedMs += seconds * 1000;
  }

  record(event: ApiEvent): Correlated | null {
    this.#notified += 1;
    return this.#correlator.correlate(event, {
      time: this.time,
      monotonicMs: this.#elapsedMs,
      name: `made.${this.#notified}`,
    });
  }
}
