/**
 * An event of core/v1, as the kubelet writes it: what happened to an object, told to people.
 *
 * The keys say which events are about the same thing. They are made of lists, not of texts put end to
 * end: "a" + "bc" is not "ab" + "c".
 */
import type { Time } from '../../api/meta.ts';

/** What an event is about. Absent is what is not known or not there. */
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

/** Who tells it. */
export type EventSource = {
  readonly component: string;
  readonly host: string;
};

export type ApiEvent = {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: { readonly name: string; readonly namespace: string };
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

/** What somebody has to say; the rest of an event follows from it. */
export interface Telling {
  readonly about: InvolvedObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What lives in no namespace, such as a node, is told of in this one. */
const NAMESPACE_OF_THE_REST = 'default';

export function eventOf(
  { about, type, reason, message }: Telling,
  source: EventSource,
  name: string,
  now: Time,
): ApiEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: about.namespace ?? NAMESPACE_OF_THE_REST },
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

/** Which object. Every other key contains this one, so objects have nothing to do with each other. */
export function objectKey({ kind, namespace, name, uid, apiVersion }: InvolvedObject): string {
  return JSON.stringify([kind, namespace, name, uid, apiVersion]);
}

/** Events that are the same but for when they happened. */
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

/** Events that differ in their words alone. The part of the object does not count. */
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

/** Events that share a budget: warnings do not eat up that of the others. */
export function budgetKey({ source, involvedObject, type }: ApiEvent): string {
  return JSON.stringify([source.component, source.host, objectKey(involvedObject), type]);
}
