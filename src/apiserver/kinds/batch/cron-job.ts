/** Defines the kind CronJob: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { timeZoneOf } from '../../../api/values/time-zone.ts';
import { nameOf } from '../../objects/metadata.ts';
import {
  booleanColumn,
  containerColumns,
  integerColumn,
  printSelector,
  textColumn,
  wide,
} from '../../objects/columns.ts';
import { faultOfSchedule } from './cron-schedule.ts';
import { changeStructAt, objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { validateJobSpec } from './job-spec.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { validateNotBelowZero } from '../number-rules.ts';
import { AGE, ageOf, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate } from '../pod-template-spec.ts';
import {
  invalidField,
  required,
  requireOneOf,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, fillEmpty } from '../../../api/validation/json-changes.ts';
import { isGiven, readFlag, readText } from '../../../api/validation/json-reading.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'];
const JOB = 'spec.jobTemplate.spec';
/** The controller appends a dash and ten digits to the name of each Job. */
const NAME_LENGTH_MAX = 63 - 11;
const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

export const cronJobs = plainKind('batch/v1', {
  kind: 'CronJob',
  resource: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  subresources: [statusSubresource('CronJob')],
  rules: {
    ...templateWarnings('spec.jobTemplate.spec.template', true),
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultSpec),
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSpec(object), ...checkNameLength(object)],
    validateUpdate: (object, old) => [...checkSpec(object, old)],
  },
  columns: [
    NAME,
    textColumn('Schedule', 'When jobs start, as five fields.', (object) =>
      textAt(object, 'spec.schedule'),
    ),
    textColumn('Timezone', 'Whose clock that is.', (object) => {
      const zone = valueAt(object, 'spec.timeZone');
      return isGiven(zone) ? readText(zone) : '<none>';
    }),
    booleanColumn('Suspend', 'Whether no further jobs start.', (object) =>
      readFlag(valueAt(object, 'spec.suspend')) ? 'True' : 'False',
    ),
    integerColumn(
      'Active',
      'How many jobs run now.',
      (object) => objectsAt(object, 'status.active').length,
    ),
    textColumn('Last Schedule', 'How long ago a job was due last.', (object, nowMs) => {
      const last = textAt(object, 'status.lastScheduleTime');
      return last === '' ? '<none>' : ageOf(last, nowMs);
    }),
    AGE,
    ...containerColumns(`${JOB}.template.spec.containers`),
    wide(
      textColumn('Selector', 'The labels by which its jobs know their pods.', (object) =>
        printSelector(valueAt(object, `${JOB}.selector`)),
      ),
    ),
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  const filled = fillAbsent(fillEmpty(spec, { concurrencyPolicy: 'Allow' }), {
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  return changeStructAt(filled, 'jobTemplate.spec.template', defaultPodTemplate);
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  yield* checkSchedule(object, old);
  yield* validateNotBelowZero(object, ['spec.startingDeadlineSeconds']);
  const zone = valueAt(object, 'spec.timeZone');
  if (typeof zone === 'string' && (!old || valueAt(old, 'spec.timeZone') !== zone)) {
    yield* checkZone(zone);
  }
  const policy = textAt(object, 'spec.concurrencyPolicy');
  yield* requireOneOf('spec.concurrencyPolicy', policy, POLICIES);
  yield* checkJobTemplate(object, old);
  yield* validateNotBelowZero(object, [
    'spec.successfulJobsHistoryLimit',
    'spec.failedJobsHistoryLimit',
  ]);
}

function* checkSchedule(object: JsonObject, old: JsonObject | undefined): FieldErrors {
  const field = 'spec.schedule';
  const schedule = textAt(object, field);
  if (schedule === '') {
    yield required(field);
    return;
  }
  const fault = faultOfSchedule(schedule);
  if (fault !== undefined) yield invalidField(field, schedule, fault);
  if (!schedule.includes('TZ')) return;
  if (!old || !textAt(old, field).includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    yield invalidField(field, schedule, detail);
  } else if (isGiven(valueAt(object, 'spec.timeZone'))) {
    const detail = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    yield invalidField(field, schedule, detail);
  }
}

function* checkZone(zone: string): FieldErrors {
  const field = 'spec.timeZone';
  if (zone === '') {
    yield invalidField(field, zone, 'timeZone must be nil or non-empty string');
    return;
  }
  const isReadable = zone.split('/').every(isZonePart);
  if (!isReadable) yield invalidField(field, zone, `unknown time zone ${zone}`);
  else if (zone.toLowerCase() === 'local') {
    yield invalidField(
      field,
      zone,
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    );
  } else if (!timeZoneOf(zone)) yield invalidField(field, zone, `unknown time zone ${zone}`);
}

function isZonePart(part: string): boolean {
  return part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part);
}

/** With a manual selector, every Job would claim the pods of all the others. */
function* checkJobTemplate(object: JsonObject, old: JsonObject | undefined): FieldErrors {
  yield* validateJobSpec(object, JOB, old);
  const selector = valueAt(object, `${JOB}.selector`);
  if (isGiven(selector)) {
    yield invalidField(`${JOB}.selector`, selector, '`selector` will be auto-generated');
  }
  if (readFlag(valueAt(object, `${JOB}.manualSelector`))) {
    yield unsupported(`${JOB}.manualSelector`, true, ['nil', 'false']);
  }
}

function* checkNameLength(object: JsonObject): FieldErrors {
  const name = nameOf(object);
  if (name.length <= NAME_LENGTH_MAX) return;
  yield invalidField('metadata.name', name, `must be no more than ${NAME_LENGTH_MAX} characters`);
}
