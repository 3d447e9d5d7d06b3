/** ReplicaSets: so many pods of one template, no more and no fewer. */
import type { JsonObject } from '../../lib/json.ts';
import type { FieldError } from '../field-error.ts';
import type { Column } from '../kind.ts';
import { containerColumns, integerColumn, printSelector, textColumn, wide } from './columns.ts';
import { changeStructAt, numberAt, structAt, valueAt } from './field-path.ts';
import { startWithoutStatus } from './lifecycle.ts';
import { validateAtMost, validateNotBelowZero, validateUnchanged } from './number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from './plain-kind.ts';
import { defaultPodTemplate, validateEndless, validatePodTemplate } from './pod-template-spec.ts';
import { replicasScale } from './replica-scaling.ts';
import { validateTemplateLabels, validateWorkloadSelector } from './selector-rules.ts';
import type { Complaints } from './validation/complaint.ts';
import { fillAbsent } from './validation/json-changes.ts';

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
].map((name) => `status.${name}`);

/** Desired, current, ready: what everything has that keeps a number of pods. */
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

function* checkSpec(object: JsonObject, old?: JsonObject): Complaints {
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
