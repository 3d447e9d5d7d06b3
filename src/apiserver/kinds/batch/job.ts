/** Defines the kind Job: its defaults, validation and columns. */
import { isDns1123Label } from '../../../api/validation-names.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { formatHumanDuration } from '../../../api/values/human-duration.ts';
import { parseTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf, nameOf, withMetadata } from '../../objects/metadata.ts';
import { containerColumns, printSelector, textColumn, wide } from '../../objects/columns.ts';
import {
  changeStructAt,
  numberAt,
  objectsAt,
  structAt,
  textAt,
  valueAt,
} from '../../objects/field-path.ts';
import {
  validateGeneratedSelector,
  validateJobSelector,
  withGeneratedSelector,
} from './job-selector.ts';
import { defaultJobSpec, validateJobSpec } from './job-spec.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { IMMUTABLE, validateNotBelowZero, validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { withFieldOf } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readEntries,
  readFlag,
  readObject,
} from '../../../api/validation/json-reading.ts';

/** Scheduling fields that may change while a Job is suspended. */
const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates', 'affinity'];
const PODS_PRESERVED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove ' +
  'them or set propagationPolicy=Orphan to suppress this warning';
/** In the order of precedence for the Status column. */
const ENDS = ['Complete', 'Failed'];
const STATES = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

export const jobs = plainKind('batch/v1', {
  kind: 'Job',
  resource: 'jobs',
  categories: ['all'],
  subresources: [statusSubresource('Job')],
  rules: {
    orphansByDefault: true,
    orphansWarning: PODS_PRESERVED,
    ...templateWarnings('spec.template', true),
    applyDefaults,
    prepareForCreate: (object) => withGeneratedSelector(startWithoutStatus(object)),
    validate: (object) => [
      ...validateGeneratedSelector(object),
      ...validateJobSpec(object, 'spec'),
      ...validateJobSelector(object),
      ...checkHostnames(object),
    ],
    validateUpdate: (object, old) => [...checkUpdate(object, old)],
    validateStatusUpdate: (object) => [
      ...validateNotBelowZero(object, ['status.active', 'status.succeeded', 'status.failed']),
    ],
    selectableFields: (object) => ({
      'status.successful': String(numberAt(object, 'status.succeeded')),
    }),
  },
  columns: [
    NAME,
    textColumn('Status', 'How it stands with the job, in one word.', printState),
    textColumn('Completions', 'How many pods succeeded, of how many have to.', printCompletions),
    textColumn('Duration', 'How long it has run, or ran.', printDuration),
    AGE,
    ...containerColumns('spec.template.spec.containers'),
    wide(
      textColumn('Selector', 'The labels by which it knows its pods.', (object) =>
        printSelector(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

function applyDefaults(object: JsonObject): JsonObject {
  const filled = changeStructAt(object, 'spec', defaultJobSpec);
  const labels = readObject(valueAt(object, 'spec.template.metadata.labels'));
  const isLabelled = readEntries(metadataOf(object)['labels']).length > 0;
  return labels && !isLabelled ? withMetadata(filled, { labels }) : filled;
}

/** The hostname of an indexed pod ends in its index, so that of the last one is the longest. */
function* checkHostnames(object: JsonObject): FieldErrors {
  const completions = numberAt(object, 'spec.completions');
  if (textAt(object, 'spec.completionMode') !== 'Indexed' || completions <= 0) return;
  const last = `${nameOf(object)}-${completions - 1}`;
  if (isDns1123Label(last)) return;
  const detail = `will not able to create pod with invalid DNS label: ${last}`;
  yield invalidField('metadata.name', nameOf(object), detail);
}

function* checkUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  yield* validateJobSpec(object, 'spec', old);
  yield* validateJobSelector(object);
  const isElastic =
    textAt(object, 'spec.completionMode') === 'Indexed' &&
    numberAt(object, 'spec.completions') === numberAt(object, 'spec.parallelism');
  if (!isElastic) yield* validateUnchanged(object, old, ['spec.completions']);
  yield* validateUnchanged(object, old, ['spec.selector']);
  yield* checkTemplateUpdate(object, old);
  yield* validateUnchanged(object, old, [
    'spec.completionMode',
    'spec.podFailurePolicy',
    'spec.backoffLimitPerIndex',
    'spec.managedBy',
    'spec.successPolicy',
  ]);
}

function* checkTemplateUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  const [template, before] = [structAt(object, 'spec.template'), structAt(old, 'spec.template')];
  const allowed = mayBeRedirected(old) ? withScheduling(before, template) : before;
  if (!jsonEqual(template, allowed)) yield invalidField('spec.template', template, IMMUTABLE);
}

/** Whether scheduling fields may change: the Job is suspended and no pod has started. */
function mayBeRedirected(old: JsonObject): boolean {
  return readFlag(valueAt(old, 'spec.suspend')) && !isGiven(valueAt(old, 'status.startTime'));
}

function withScheduling(before: JsonObject, template: JsonObject): JsonObject {
  const spec = structAt(template, 'spec');
  const directed = changeStructAt(before, 'spec', (kept) =>
    SCHEDULING.reduce((next, name) => withFieldOf(next, name, spec), kept),
  );
  const metadata = structAt(template, 'metadata');
  return changeStructAt(directed, 'metadata', (kept) =>
    withFieldOf(withFieldOf(kept, 'labels', metadata), 'annotations', metadata),
  );
}

function printState(object: JsonObject): string {
  const holds = (type: string): boolean =>
    objectsAt(object, 'status.conditions').some(
      (condition) => condition['type'] === type && condition['status'] === 'True',
    );
  const ended = ENDS.find(holds);
  if (ended !== undefined) return ended;
  if (metadataOf(object)['deletionTimestamp'] !== undefined) return 'Terminating';
  return STATES.find(holds) ?? 'Running';
}

function printCompletions(object: JsonObject): string {
  const succeeded = numberAt(object, 'status.succeeded');
  const completions = valueAt(object, 'spec.completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = numberAt(object, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function printDuration(object: JsonObject, nowMs: number): string {
  const [start, end] = [
    textAt(object, 'status.startTime'),
    textAt(object, 'status.completionTime'),
  ];
  if (start === '') return '';
  return formatHumanDuration((end === '' ? nowMs : parseTime(end).ms) - parseTime(start).ms);
}
