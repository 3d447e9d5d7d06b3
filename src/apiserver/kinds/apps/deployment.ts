/** Defines the kind Deployment: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { containerColumns, selectorText, textColumn, wide } from '../../objects/columns.ts';
import { changeStructAt, numberAt, structAt, valueAt } from '../../objects/field-path.ts';
import { amountOf, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts';
import { differsInSpecOrAnnotations, startWithoutStatus } from '../lifecycle.ts';
import {
  validateAtMost,
  validateNotBelowZero,
  validateNotDecremented,
  validateUnchanged,
} from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from '../pod-template-spec.ts';
import { replicasScale } from './replica-scaling.ts';
import { validateTemplateLabels, validateWorkloadSelector } from '../selector-rules.ts';
import {
  forbiddenField,
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, fillEmpty } from '../../../api/validation/json-changes.ts';
import { isGiven, readObject, readText } from '../../../api/validation/json-reading.ts';

const STRATEGIES = ['Recreate', 'RollingUpdate'];
const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
].map((name) => `status.${name}`);

export const deployments = plainKind('apps/v1', {
  kind: 'Deployment',
  resource: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [replicasScale, statusSubresource('Deployment')],
  rules: {
    ...templateWarnings('spec.template', true),
    applyDefaults,
    prepareForCreate: startWithoutStatus,
    isNewGeneration: differsInSpecOrAnnotations,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [
      ...checkSpec(object, old),
      ...validateUnchanged(object, old, ['spec.selector']),
    ],
    validateStatusUpdate,
  },
  columns: [
    NAME,
    textColumn('Ready', 'How many pods are ready, of how many there should be.', (object) => {
      return `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;
    }),
    textColumn('Up-to-date', 'How many pods are made from the present template.', (object) =>
      numberAt(object, 'status.updatedReplicas'),
    ),
    textColumn('Available', 'How many pods have been ready for long enough.', (object) =>
      numberAt(object, 'status.availableReplicas'),
    ),
    AGE,
    ...containerColumns('spec.template.spec.containers'),
    wide(
      textColumn('Selector', 'The labels by which it knows its pods.', (object) =>
        selectorText(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

function applyDefaults(object: JsonObject): JsonObject {
  return changeStructAt(object, 'spec', (spec) => {
    const filled = fillAbsent(spec, {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    const planned = changeStructAt(filled, 'strategy', defaultStrategy);
    return changeStructAt(planned, 'template', defaultPodTemplate);
  });
}

function defaultStrategy(strategy: JsonObject): JsonObject {
  const typed = fillEmpty(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return changeStructAt(typed, 'rollingUpdate', (update) =>
    fillAbsent(update, { maxUnavailable: '25%', maxSurge: '25%' }),
  );
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  yield* validateNotBelowZero(object, ['spec.replicas']);
  yield* validateWorkloadSelector(object, 'deployment');
  yield* validateTemplateLabels(object);
  const template = structAt(object, 'spec.template');
  yield* validatePodTemplate(template, 'spec.template', old && structAt(old, 'spec.template'));
  yield* validateEndless(template, 'spec.template', 'ReplicaSet');
  yield* checkStrategy(structAt(object, 'spec.strategy'));
  yield* validateNotBelowZero(object, [
    'spec.minReadySeconds',
    'spec.revisionHistoryLimit',
    'spec.progressDeadlineSeconds',
  ]);
  const deadline = valueAt(object, 'spec.progressDeadlineSeconds');
  if (typeof deadline === 'number' && deadline <= numberAt(object, 'spec.minReadySeconds')) {
    const detail = 'must be greater than minReadySeconds';
    yield invalidField('spec.progressDeadlineSeconds', deadline, detail);
  }
}

function* checkStrategy(strategy: JsonObject): FieldErrors {
  const path = 'spec.strategy.rollingUpdate';
  const type = readText(strategy['type']);
  const update = readObject(strategy['rollingUpdate']);
  if (!STRATEGIES.includes(type)) yield unsupported('spec.strategy', strategy, STRATEGIES);
  else if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    if (isGiven(update)) yield forbiddenField(path, detail);
  } else if (!update) yield required(path);
  else yield* checkRollingUpdate(update, path);
}

/** If both maxSurge and maxUnavailable were zero, no update could begin. */
function* checkRollingUpdate(update: JsonObject, path: string): FieldErrors {
  const { maxUnavailable, maxSurge } = update;
  yield* validateIntOrPercent(maxUnavailable, `${path}.maxUnavailable`);
  yield* validateIntOrPercent(maxSurge, `${path}.maxSurge`);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    const detail = 'may not be 0 when `maxSurge` is 0';
    yield invalidField(`${path}.maxUnavailable`, maxUnavailable ?? 0, detail);
  }
  yield* validateAtMostAll(maxUnavailable, `${path}.maxUnavailable`);
}

function validateStatusUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  return [
    ...validateNotBelowZero(object, COUNTS),
    ...validateAtMost(object, 'status.updatedReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.readyReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.availableReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.availableReplicas', 'status.readyReplicas', 'readyReplicas'),
    ...validateNotDecremented(object, old, 'status.collisionCount'),
  ];
}
