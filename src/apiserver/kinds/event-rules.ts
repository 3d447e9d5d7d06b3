/**
 * What an event must say. An event with an `eventTime` is of the new kind and has to be complete; one
 * without may come from a client of any age and is taken nearly as it is.
 *
 * The rules speak of core/v1's fields, whichever of the two groups the event came through: that is
 * how kube-apiserver's complaints name them as well.
 */
import { checkDns1123Subdomain } from '../../api/validation-names.ts';
import { jsonEqual } from '../../api/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { textAt, valueAt } from './field-path.ts';
import { validateUnchanged } from './number-rules.ts';
import { invalid, invalidFor, required, type Complaints } from './validation/complaint.ts';
import { isGiven, readNumber, readObject, readText } from './validation/json-reading.ts';
import { validateQualifiedName } from './validation/names.ts';

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

/** What holds in both groups. */
export function* validateAnyEvent(event: JsonObject, reporterField: string): Complaints {
  if (isGiven(event['eventTime'])) yield* validateNewEvent(event, reporterField);
  else yield* validateOldEvent(event);
  const namespace = textAt(event, 'metadata.namespace');
  yield* invalidFor('namespace', namespace, checkDns1123Subdomain(namespace));
}

/** What only the group of events insists on. */
export function* validateStrictEvent(event: JsonObject): Complaints {
  yield* validateSeries(event);
  if (!isGiven(event['eventTime'])) yield required('eventTime');
  const type = readText(event['type']);
  if (type !== 'Normal' && type !== 'Warning') {
    yield invalid('type', '', `has invalid value: ${type}`);
  }
  for (const name of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    const value = event[name];
    if (isGiven(value) && value !== 0) yield invalid(name, '', 'needs to be unset');
  }
  if (textAt(event, 'source.component') !== '' || textAt(event, 'source.host') !== '') {
    yield invalid('source', '', 'needs to be unset');
  }
}

export function* validateStrictUpdate(event: JsonObject, old: JsonObject): Complaints {
  if (!jsonEqual(event['series'] ?? null, old['series'] ?? null)) yield* validateSeries(event);
  yield* validateUnchanged(event, old, KEPT);
}

function* validateSeries(event: JsonObject): Complaints {
  const series = readObject(event['series']);
  if (!series) return;
  if (readNumber(series['count']) < 2) yield invalid('series.count', '', 'should be at least 2');
  if (!isGiven(series['lastObservedTime'])) yield required('series.lastObservedTime');
}

function* validateOldEvent(event: JsonObject): Complaints {
  const about = textAt(event, NAMESPACE);
  const namespace = textAt(event, 'metadata.namespace');
  // What lives in no namespace is reported in the default one.
  const fits = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  if (!fits) yield invalid(NAMESPACE, about, NO_MATCH);
}

function* validateNewEvent(event: JsonObject, reporterField: string): Complaints {
  const namespace = textAt(event, 'metadata.namespace');
  if (textAt(event, NAMESPACE) === '' && namespace !== 'default' && namespace !== 'kube-system') {
    yield invalid(NAMESPACE, '', NO_MATCH);
  }
  const reporter = readText(event['reportingComponent']);
  if (reporter === '') yield required(reporterField);
  yield* validateQualifiedName(reporter, reporterField);
  yield* validateWord(event, 'reportingInstance', LENGTH_MAX);
  yield* validateWord(event, 'action', LENGTH_MAX);
  yield* validateWord(event, 'reason', LENGTH_MAX);
  yield* validateLength(event, 'message', MESSAGE_LENGTH_MAX);
}

function* validateWord(event: JsonObject, name: string, lengthMax: number): Complaints {
  if (readText(valueAt(event, name)) === '') yield required(name);
  yield* validateLength(event, name, lengthMax);
}

function* validateLength(event: JsonObject, name: string, lengthMax: number): Complaints {
  if (Buffer.byteLength(readText(event[name])) <= lengthMax) return;
  yield invalid(name, '', `can have at most ${lengthMax} characters`);
}
