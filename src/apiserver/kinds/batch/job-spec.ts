/** Defaults and validates the spec of a Job, in a Job and in the template of a CronJob. */
import type { JsonObject } from '../../../lib/json.ts';
import { changeStructAt, numberAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { validateNotBelowZero } from '../number-rules.ts';
import { defaultPodTemplate, validatePodTemplate } from '../pod-template-spec.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven } from '../../../api/validation/json-reading.ts';

const BACKOFF_LIMIT = 6;
const INT32_MAX = 2 ** 31 - 1;
const INDEXED_PARALLELISM_MAX = 100_000;
const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENTS = ['Failed', 'TerminatingOrFailed'];
const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** A Job gets all of these defaults; the template of a CronJob gets only those of its pods. */
export function defaultJobSpec(spec: JsonObject): JsonObject {
  const isSingle = !isGiven(spec['completions']) && !isGiven(spec['parallelism']);
  const limitsEachIndex = isGiven(spec['backoffLimitPerIndex']);
  const filled = fillAbsent(spec, {
    ...(isSingle && { completions: 1 }),
    parallelism: 1,
    backoffLimit: limitsEachIndex ? INT32_MAX : BACKOFF_LIMIT,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: isGiven(spec['podFailurePolicy']) ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
  });
  return changeStructAt(filled, 'template', defaultPodTemplate);
}

/** Everything except the selector, which the template of a CronJob does not have. */
export function* validateJobSpec(object: JsonObject, path: string, old?: JsonObject): FieldErrors {
  yield* validateNotBelowZero(
    object,
    COUNTS.map((name) => `${path}.${name}`),
  );
  const spec = structAt(object, path);
  if (isGiven(spec['maxFailedIndexes']) && !isGiven(spec['backoffLimitPerIndex'])) {
    yield required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  }
  yield* validateCompletionMode(spec, path);
  yield* validateReplacement(spec, path);
  const template = structAt(spec, 'template');
  const before = old && structAt(old, `${path}.template`);
  yield* validatePodTemplate(template, `${path}.template`, before);
  yield* validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`);
}

function* validateCompletionMode(spec: JsonObject, path: string): FieldErrors {
  const mode = textAt(spec, 'completionMode') || 'NonIndexed';
  if (!COMPLETION_MODES.includes(mode)) {
    yield unsupported(`${path}.completionMode`, mode, COMPLETION_MODES);
  } else if (mode === 'Indexed') yield* validateIndexes(spec, path);
  else {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'] as const) {
      const value = spec[name];
      if (!isGiven(value)) continue;
      yield invalidField(`${path}.${name}`, value, 'requires indexed completion mode');
    }
  }
}

function* validateIndexes(spec: JsonObject, path: string): FieldErrors {
  if (!isGiven(spec['completions'])) {
    yield required(`${path}.completions`, 'when completion mode is Indexed');
  }
  const parallelism = numberAt(spec, 'parallelism');
  if (parallelism > INDEXED_PARALLELISM_MAX) {
    const limit = `must be less than or equal to ${INDEXED_PARALLELISM_MAX}`;
    const detail = `${limit} when completion mode is Indexed`;
    yield invalidField(`${path}.parallelism`, parallelism, detail);
  }
  const failed = valueAt(spec, 'maxFailedIndexes');
  if (typeof failed !== 'number' || !isGiven(spec['completions'])) return;
  if (failed > numberAt(spec, 'completions')) {
    yield invalidField(
      `${path}.maxFailedIndexes`,
      failed,
      'must be less than or equal to completions',
    );
  }
}

function* validateReplacement(spec: JsonObject, path: string): FieldErrors {
  const policy = textAt(spec, 'podReplacementPolicy');
  const supported = isGiven(spec['podFailurePolicy']) ? ['Failed'] : REPLACEMENTS;
  if (policy === '' || supported.includes(policy)) return;
  yield unsupported(`${path}.podReplacementPolicy`, policy, supported);
}

/** The pods of a Job must terminate. An unset policy defaults to Always, which a Job cannot use. */
function* validateRestartPolicy(spec: JsonObject, field: string): FieldErrors {
  const policy = textAt(spec, 'template.spec.restartPolicy');
  if (policy === 'Always' || policy === '') {
    yield required(field, 'valid values: "OnFailure", "Never"');
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    yield unsupported(field, policy, ['OnFailure', 'Never']);
  } else if (isGiven(spec['podFailurePolicy']) && policy !== 'Never') {
    yield invalidField(
      field,
      policy,
      'only "Never" is supported when podFailurePolicy is specified',
    );
  }
}
