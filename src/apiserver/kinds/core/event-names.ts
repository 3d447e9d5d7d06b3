/**
 * Converts Events between core/v1 and events.k8s.io/v1. The fields are the same, but events.k8s.io/v1 renamed
 * unclear ones and deprecated others.
 */
import { structOf } from '../../../api/schema/schema.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { printedForm } from '../../objects/printed-form.ts';

const CORE_TO_EVENTS: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  reportingComponent: 'reportingController',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
};

const EVENTS_TO_CORE = Object.fromEntries(
  Object.entries(CORE_TO_EVENTS).map(([core, events]) => [events, core]),
);

export function toEventsGroup(event: JsonObject): JsonObject {
  const renamed = rename(event, CORE_TO_EVENTS, 'events.k8s.io/v1');
  return printedForm(renamed, structOf('events/v1.Event'));
}

export function toCoreGroup(event: JsonObject): JsonObject {
  return printedForm(rename(event, EVENTS_TO_CORE, 'v1'), structOf('core/v1.Event'));
}

function rename(
  event: JsonObject,
  names: Readonly<Record<string, string>>,
  apiVersion: string,
): JsonObject {
  const fields = Object.entries(event).map(
    ([name, value]) => [nameIn(names, name), value] as const,
  );
  return { ...Object.fromEntries(fields), apiVersion };
}

function nameIn(names: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name;
}
