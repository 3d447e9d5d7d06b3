/**
 * Builds Events of core/v1 as Kubernetes' kubelet writes them, and the keys that decide which Events are
 * about the same thing.
 *
 * A key is a JSON list and not a concatenated text, in which "a" + "bc" would equal "ab" + "c".
 */
import type { Time } from '../../api/meta.ts';

/** The object of an Event. Absent fields are unknown or do not exist. */
export type InvolvedObject = {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly apiVersion: string;
  readonly resourceVersion?: string;
  /** The part of the object, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
};

/** The component that reports it. */
export type EventSource = {
  readonly component: string;
  readonly host: string;
};

export type ApiEvent = {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly involvedObject: InvolvedObject;
  readonly reason: string;
  readonly message: string;
  readonly source: EventSource;
  readonly firstTimestamp: Time;
  readonly lastTimestamp: Time;
  readonly count: number;
  readonly type: 'Normal' | 'Warning';
  readonly reportingComponent: string;
  readonly reportingInstance: string;
};

/** What the caller records; the rest of an Event follows from it. */
export interface EventText {
  readonly about: InvolvedObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** For programs; absent or empty: none. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The namespace for Events about cluster-scoped objects, such as a node. */
const NAMESPACE_OF_THE_REST = 'default';

export function eventOf(
  { about, type, reason, message, annotations = {} }: EventText,
  source: EventSource,
  name: string,
  now: Time,
): ApiEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name,
      namespace: about.namespace ?? NAMESPACE_OF_THE_REST,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    involvedObject: about,
    reason,
    message,
    source,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type,
    reportingComponent: source.component,
    reportingInstance: source.host,
  };
}

/** The key of the object. Every other key contains it, so Events of different objects never share a key. */
export function objectKey({ kind, namespace, name, uid, apiVersion }: InvolvedObject): string {
  return JSON.stringify([kind, namespace, name, uid, apiVersion]);
}

/** The key of Events that are equal except for their times. */
export function repeatKey({ source, involvedObject, type, reason, message }: ApiEvent): string {
  const { component, host } = source;
  const { fieldPath } = involvedObject;
  return JSON.stringify([
    component,
    host,
    objectKey(involvedObject),
    fieldPath,
    type,
    reason,
    message,
  ]);
}

/** The key of Events that differ only in their messages and field paths. */
export function similarKey(event: ApiEvent): string {
  const { source, involvedObject, type, reason, reportingComponent, reportingInstance } = event;
  return JSON.stringify([
    source.component,
    source.host,
    objectKey(involvedObject),
    type,
    reason,
    reportingComponent,
    reportingInstance,
  ]);
}

/** The key of Events that share a rate limit; Warning and Normal Events have separate ones. */
export function budgetKey({ source, involvedObject, type }: ApiEvent): string {
  return JSON.stringify([source.component, source.host, objectKey(involvedObject), type]);
}
