/** Defines the kind ReplicaSet: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import type { Column } from '../../objects/kind.ts';
import {
  containerColumns,
  integerColumn,
  printSelector,
  textColumn,
  wide,
} from '../../objects/columns.ts';
import { changeStructAt, numberAt, structAt, valueAt } from '../../objects/field-path.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { validateAtMost, validateNotBelowZero, validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { templateWarnings } from '../pod/warnings/template-warnings.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from '../pod-template-spec.ts';
import { replicasScale } from './replica-scaling.ts';
import { validateTemplateLabels, validateWorkloadSelector } from '../selector-rules.ts';
import type { FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
].map((name) => `status.${name}`);

/** Desired, current and ready: the columns of every kind with replicas. */
export const REPLICA_COLUMNS: readonly Column[] = [
  integerColumn('Desired', 'How many pods there should be.', (object) =>
    numberAt(object, 'spec.replicas'),
  ),
  integerColumn('Current', 'How many pods there are.', (object) =>
    numberAt(object, 'status.replicas'),
  ),
  integerColumn('Ready', 'How many pods are ready.', (object) =>
    numberAt(object, 'status.readyReplicas'),
  ),
];

export const replicaSets = plainKind('apps/v1', {
  kind: 'ReplicaSet',
  resource: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  subresources: [replicasScale, statusSubresource('ReplicaSet')],
  rules: {
    ...templateWarnings('spec.template', true),
    applyDefaults: (object) =>
      changeStructAt(object, 'spec', (spec) =>
        changeStructAt(fillAbsent(spec, { replicas: 1 }), 'template', defaultPodTemplate),
      ),
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [
      ...checkSpec(object, old),
      ...validateUnchanged(object, old, ['spec.selector']),
    ],
    validateStatusUpdate: validateReplicaStatus,
  },
  columns: [
    NAME,
    ...REPLICA_COLUMNS,
    AGE,
    ...containerColumns('spec.template.spec.containers'),
    wide(
      textColumn('Selector', 'The labels by which it knows its pods.', (object) =>
        printSelector(valueAt(object, 'spec.selector')),
      ),
    ),
  ],
});

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  yield* validateNotBelowZero(object, ['spec.replicas', 'spec.minReadySeconds']);
  yield* validateWorkloadSelector(object, 'deployment');
  yield* validateTemplateLabels(object);
  const template = structAt(object, 'spec.template');
  yield* validatePodTemplate(template, 'spec.template', old && structAt(old, 'spec.template'));
  yield* validateEndless(template, 'spec.template', 'ReplicaSet');
}

export function validateReplicaStatus(object: JsonObject): readonly FieldError[] {
  return [
    ...validateNotBelowZero(object, COUNTS),
    ...validateAtMost(object, 'status.fullyLabeledReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.readyReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.availableReplicas', 'status.replicas'),
    ...validateAtMost(object, 'status.availableReplicas', 'status.readyReplicas', 'readyReplicas'),
  ];
}
