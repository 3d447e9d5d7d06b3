/**
 * Defines the kind Event of core/v1 and of events.k8s.io/v1.
 *
 *     core/v1 Event  <── stored as ──  events.k8s.io/v1 Event
 *
 * Both groups serve the same Events (event-names.ts) and print them in the same table; each selects by its
 * own field names.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { Column, KindRules } from '../../objects/kind.ts';
import { textOf } from '../../objects/metadata.ts';
import { textColumn, wide } from '../../objects/columns.ts';
import { toCoreGroup, toEventsGroup } from './event-names.ts';
import { validateAnyEvent, validateStrictEvent, validateStrictUpdate } from './event-rules.ts';
import { numberAt, structAt, textAt } from '../../objects/field-path.ts';
import { ageOf, NAME, plainKind } from '../../objects/plain-kind.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';

const OBJECT_FIELDS = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
];

const rules: KindRules = {
  createsOnUpdate: true,
  // Most names of Events are generated, so any path segment is valid.
  checkName: checkPathSegment,
  selectableFields: (event) => ({
    ...fieldsOf(event, 'involvedObject', 'reportingComponent'),
    source: textAt(event, 'source.component') || textAt(event, 'reportingComponent'),
  }),
  validate: (event) => [...validateAnyEvent(event, 'reportingComponent')],
  validateUpdate: (event) => [...validateAnyEvent(event, 'reportingComponent')],
};

const columns: readonly Column[] = [
  textColumn('Last Seen', 'How long ago it happened last.', (event, nowMs) =>
    ageOf(lastSeen(event), nowMs),
  ),
  textColumn('Type', 'Normal, or a Warning.', (event) => textAt(event, 'type')),
  textColumn('Reason', 'What happened, in one word for programs.', (event) =>
    textAt(event, 'reason'),
  ),
  textColumn('Object', 'What it happened to.', printTarget),
  wide(
    textColumn('Subobject', 'The part of the object that it happened to.', (event) =>
      textAt(event, 'involvedObject.fieldPath'),
    ),
  ),
  wide(textColumn('Source', 'Who reported it, and from where.', printSource)),
  textColumn('Message', 'What happened, in a sentence for people.', (event) =>
    textAt(event, 'message').trim(),
  ),
  wide(
    textColumn('First Seen', 'How long ago it happened first.', (event, nowMs) =>
      ageOf(firstSeen(event), nowMs),
    ),
  ),
  wide(textColumn('Count', 'How often it happened.', countOf)),
  wide(NAME),
];

export const events = plainKind('v1', {
  kind: 'Event',
  resource: 'events',
  shortNames: ['ev'],
  rules,
  columns,
});

export const groupEvents = plainKind('events.k8s.io/v1', {
  kind: 'Event',
  resource: 'events',
  shortNames: ['ev'],
  storedAs: { definition: events, fromStored: toEventsGroup, toStored: toCoreGroup },
  rules: {
    createsOnUpdate: true,
    selectableFields: (event) => fieldsOf(event, 'regarding', 'reportingController'),
    validate: (event) => [
      ...validateAnyEvent(toCoreGroup(event), 'reportingController'),
      ...validateStrictEvent(toCoreGroup(event)),
    ],
    validateUpdate: (event, old) => [
      ...validateAnyEvent(toCoreGroup(event), 'reportingController'),
      ...validateStrictUpdate(toCoreGroup(event), toCoreGroup(old)),
    ],
  },
  columns: columns.map((column) => ({
    ...column,
    cell: (event, nowMs) => column.cell(toCoreGroup(event), nowMs),
  })),
});

function fieldsOf(
  event: JsonObject,
  aboutField: string,
  reporterField: string,
): Readonly<Record<string, string>> {
  const about = structAt(event, aboutField);
  return {
    ...Object.fromEntries(
      OBJECT_FIELDS.map((name) => [`${aboutField}.${name}`, textOf(about[name])]),
    ),
    reason: textAt(event, 'reason'),
    [reporterField]: textAt(event, reporterField),
    type: textAt(event, 'type'),
  };
}

function firstSeen(event: JsonObject): string {
  return textAt(event, 'firstTimestamp') || textAt(event, 'eventTime');
}

function lastSeen(event: JsonObject): string {
  if (event['series'] !== undefined) return textAt(event, 'series.lastObservedTime');
  return textAt(event, 'lastTimestamp') || firstSeen(event);
}

function countOf(event: JsonObject): number {
  if (event['series'] !== undefined) return numberAt(event, 'series.count');
  return numberAt(event, 'count') || 1;
}

function printTarget(event: JsonObject): string {
  const kind = textAt(event, 'involvedObject.kind').toLowerCase();
  const name = textAt(event, 'involvedObject.name');
  return name === '' ? kind : `${kind}/${name}`;
}

function printSource(event: JsonObject): string {
  const component = textAt(event, 'source.component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source.host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}
