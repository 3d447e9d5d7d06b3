/**
 * Validates Events. An Event with an `eventTime` has the new form and must be complete; one without it may
 * come from an old client, and is hardly checked.
 *
 * The rules use the field names of core/v1 for both groups, as kube-apiserver's errors do.
 */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { validateUnchanged } from '../number-rules.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readNumber, readObject, readText } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';

const LENGTH_MAX = 128;
const MESSAGE_LENGTH_MAX = 1024;
const NAMESPACE = 'involvedObject.namespace';
const NO_MATCH = 'does not match event.namespace';
const KEPT = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** The rules of both groups. */
export function* validateAnyEvent(event: JsonObject, reporterField: string): FieldErrors {
  if (isGiven(event['eventTime'])) yield* validateNewEvent(event, reporterField);
  else yield* validateOldEvent(event);
  const namespace = textAt(event, 'metadata.namespace');
  yield* invalidFor('namespace', namespace, checkDns1123Subdomain(namespace));
}

/** The rules of events.k8s.io only. */
export function* validateStrictEvent(event: JsonObject): FieldErrors {
  yield* validateSeries(event);
  if (!isGiven(event['eventTime'])) yield required('eventTime');
  const type = readText(event['type']);
  if (type !== 'Normal' && type !== 'Warning') {
    yield invalidField('type', '', `has invalid value: ${type}`);
  }
  for (const name of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    const value = event[name];
    if (isGiven(value) && value !== 0) yield invalidField(name, '', 'needs to be unset');
  }
  if (textAt(event, 'source.component') !== '' || textAt(event, 'source.host') !== '') {
    yield invalidField('source', '', 'needs to be unset');
  }
}

export function* validateStrictUpdate(event: JsonObject, old: JsonObject): FieldErrors {
  if (!jsonEqual(event['series'] ?? null, old['series'] ?? null)) yield* validateSeries(event);
  yield* validateUnchanged(event, old, KEPT);
}

function* validateSeries(event: JsonObject): FieldErrors {
  const series = readObject(event['series']);
  if (!series) return;
  if (readNumber(series['count']) < 2)
    yield invalidField('series.count', '', 'should be at least 2');
  if (!isGiven(series['lastObservedTime'])) yield required('series.lastObservedTime');
}

function* validateOldEvent(event: JsonObject): FieldErrors {
  const about = textAt(event, NAMESPACE);
  const namespace = textAt(event, 'metadata.namespace');
  // Events about cluster-scoped objects are in the default namespace.
  const fits = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  if (!fits) yield invalidField(NAMESPACE, about, NO_MATCH);
}

function* validateNewEvent(event: JsonObject, reporterField: string): FieldErrors {
  const namespace = textAt(event, 'metadata.namespace');
  if (textAt(event, NAMESPACE) === '' && namespace !== 'default' && namespace !== 'kube-system') {
    yield invalidField(NAMESPACE, '', NO_MATCH);
  }
  const reporter = readText(event['reportingComponent']);
  if (reporter === '') yield required(reporterField);
  yield* validateQualifiedName(reporter, reporterField);
  yield* validateWord(event, 'reportingInstance', LENGTH_MAX);
  yield* validateWord(event, 'action', LENGTH_MAX);
  yield* validateWord(event, 'reason', LENGTH_MAX);
  yield* validateLength(event, 'message', MESSAGE_LENGTH_MAX);
}

function* validateWord(event: JsonObject, name: string, lengthMax: number): FieldErrors {
  if (readText(valueAt(event, name)) === '') yield required(name);
  yield* validateLength(event, name, lengthMax);
}

function* validateLength(event: JsonObject, name: string, lengthMax: number): FieldErrors {
  if (Buffer.byteLength(readText(event[name])) <= lengthMax) return;
  yield invalidField(name, '', `can have at most ${lengthMax} characters`);
}
