/** Defines the kind DaemonSet: its defaults, validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { matchesLabels } from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf, withMetadata } from '../../objects/metadata.ts';
import {
  containerColumns,
  integerColumn,
  printLabels,
  printSelector,
  textColumn,
  wide,
} from '../../objects/columns.ts';
import { changeStructAt, numberAt, structAt, valueAt } from '../../objects/field-path.ts';
import { amountOf, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import {
  validateNotBelowZero,
  validateNotDecremented,
  validateUnchanged,
} from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from '../pod-template-spec.ts';
import { isEmptySelector, readSelector } from '../selector-rules.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import {
  fillAbsent,
  fillEmpty,
  withField,
  withFieldOf,
} from '../../../api/validation/json-changes.ts';
import { readObject, readText, readTextMap } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';

/** Counts the versions of the template. Old clients recognize a DaemonSet's pods by it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const STRATEGIES = ['RollingUpdate', 'OnDelete'];
const LABELS = 'spec.template.metadata.labels';
const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
].map((name) => `status.${name}`);

const count = (name: string, description: string, field: string) =>
  integerColumn(name, description, (object) => numberAt(object, `status.${field}`));

export const daemonSets = plainKind('apps/v1', {
  kind: 'DaemonSet',
  resource: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  subresources: [statusSubresource('DaemonSet')],
  rules: {
    ...templateWarnings('spec.template', false),
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultSpec),
    prepareForCreate: (object) => withTemplateGeneration(startWithoutStatus(object), 1),
    prepareForUpdate,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [
      ...validateUnchanged(object, old, ['spec.selector']),
      ...checkSpec(object, old),
    ],
    validateStatusUpdate: (object, old) => [
      ...validateNotBelowZero(object, COUNTS),
      ...validateNotDecremented(object, old, 'status.collisionCount'),
    ],
  },
  columns: [
    NAME,
    count('Desired', 'On how many nodes a pod should run.', 'desiredNumberScheduled'),
    count('Current', 'On how many of them one runs.', 'currentNumberScheduled'),
    count('Ready', 'On how many of them it is ready.', 'numberReady'),
    count(
      'Up-to-date',
      'How many pods are made from the present template.',
      'updatedNumberScheduled',
    ),
    count('Available', 'How many pods have been ready for long enough.', 'numberAvailable'),
    textColumn('Node Selector', 'The labels of nodes on which pods may run.', (object) =>
      printLabels(valueAt(object, 'spec.template.spec.nodeSelector')),
    ),
    AGE,
    ...containerColumns('spec.template.spec.containers'),
    wide(
      textColumn('Selector', 'The labels by which it knows its pods.', (object) =>
        printSelector(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  const filled = fillAbsent(spec, { revisionHistoryLimit: 10 });
  const planned = changeStructAt(filled, 'updateStrategy', (strategy) => {
    const typed = fillEmpty(strategy, { type: 'RollingUpdate' });
    if (typed['type'] !== 'RollingUpdate') return typed;
    return changeStructAt(typed, 'rollingUpdate', (update) =>
      fillAbsent(update, { maxUnavailable: 1, maxSurge: 0 }),
    );
  });
  return changeStructAt(planned, 'template', defaultPodTemplate);
}

function prepareForUpdate(object: JsonObject, old: JsonObject): JsonObject {
  const kept = withFieldOf(object, 'status', old);
  const before = templateGenerationOf(old);
  const isSame = jsonEqual(structAt(object, 'spec.template'), structAt(old, 'spec.template'));
  return withTemplateGeneration(kept, isSame ? before : before + 1);
}

function templateGenerationOf(object: JsonObject): number {
  const text = readTextMap(metadataOf(object)['annotations']).get(TEMPLATE_GENERATION);
  return Number(text ?? 0) || 0;
}

function withTemplateGeneration(object: JsonObject, generation: number): JsonObject {
  const annotations = readObject(metadataOf(object)['annotations']) ?? {};
  const counted = withField(annotations, TEMPLATE_GENERATION, String(generation));
  return counted === annotations ? object : withMetadata(object, { annotations: counted });
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  const selector = valueAt(object, 'spec.selector');
  yield* validateLabelSelector(selector, 'spec.selector');
  const labels = valueAt(object, LABELS);
  const read = readSelector(selector);
  // A missing selector selects nothing, so it does not match the template either.
  if (!read || !matchesLabels(read, Object.fromEntries(readTextMap(labels)))) {
    yield invalidField(LABELS, labels ?? null, '`selector` does not match template `labels`');
  }
  if (isEmptySelector(selector)) {
    yield invalidField('spec.selector', selector, 'empty selector is invalid for daemonset');
  }
  const template = structAt(object, 'spec.template');
  yield* validatePodTemplate(template, 'spec.template', old && structAt(old, 'spec.template'));
  yield* validateEndless(template, 'spec.template', 'DaemonSet');
  yield* validateNotBelowZero(object, ['spec.minReadySeconds']);
  yield* checkStrategy(structAt(object, 'spec.updateStrategy'), 'spec.updateStrategy');
  yield* validateNotBelowZero(object, ['spec.revisionHistoryLimit']);
}

function* checkStrategy(strategy: JsonObject, path: string): FieldErrors {
  const type = readText(strategy['type']);
  if (!STRATEGIES.includes(type)) yield unsupported(path, strategy, STRATEGIES);
  if (type !== 'RollingUpdate') return;
  const update = readObject(strategy['rollingUpdate']);
  if (update) yield* checkRollingUpdate(update, `${path}.rollingUpdate`);
  else yield required(`${path}.rollingUpdate`);
}

/**
 * On each node either the old pod is deleted first (maxUnavailable) or the new one is created first
 * (maxSurge): exactly one of the two must be nonzero.
 */
function* checkRollingUpdate(update: JsonObject, path: string): FieldErrors {
  const { maxUnavailable, maxSurge } = update;
  yield* validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`);
  yield* validateIntOrPercent(maxSurge, `${path}.maxSurge`);
  yield* validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`);
  yield* validateAtMostAll(maxSurge, `${path}.maxSurge`);
  const [isLess, isMore] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (isLess && isMore) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    yield invalidField(`${path}.maxSurge`, maxSurge, detail);
  } else if (!isLess && !isMore) {
    yield required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
  }
}
