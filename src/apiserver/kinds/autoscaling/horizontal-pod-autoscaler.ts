/** Defines the kind HorizontalPodAutoscaler of autoscaling/v2: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import {
  changeGivenAt,
  changeStructAt,
  numberAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../objects/field-path.ts';
import { printMetrics } from './autoscaler-metrics.ts';
import { withoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, withField } from '../../../api/validation/json-changes.ts';

const CPU_UTILIZATION = 80;
const DEFAULT_METRIC = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_UTILIZATION } },
};
const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

export const horizontalPodAutoscalers = plainKind('autoscaling/v2', {
  kind: 'HorizontalPodAutoscaler',
  resource: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  subresources: [statusSubresource('HorizontalPodAutoscaler')],
  rules: {
    applyDefaults,
    prepareForCreate: withoutStatus,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object) => [...checkSpec(object)],
  },
  columns: [
    NAME,
    textColumn('Reference', 'What it scales.', (object) => {
      const [kind, name] = ['kind', 'name'].map((of) =>
        textAt(object, `spec.scaleTargetRef.${of}`),
      );
      return `${kind}/${name}`;
    }),
    textColumn('Targets', 'What is measured, and what it should be.', printMetrics),
    textColumn('MinPods', 'How many pods there are at least.', (object) => {
      const min = valueAt(object, 'spec.minReplicas');
      return typeof min === 'number' ? String(min) : '<unset>';
    }),
    textColumn('MaxPods', 'How many pods there are at most.', (object) =>
      numberAt(object, 'spec.maxReplicas'),
    ),
    textColumn('Replicas', 'How many pods there are.', (object) =>
      numberAt(object, 'status.currentReplicas'),
    ),
    AGE,
  ],
});

function applyDefaults(object: JsonObject): JsonObject {
  const filled = changeStructAt(object, 'spec', (spec) => {
    const bounded = fillAbsent(spec, { minReplicas: 1 });
    return objectsAt(spec, 'metrics').length > 0
      ? bounded
      : withField(bounded, 'metrics', [DEFAULT_METRIC]);
  });
  return changeGivenAt(filled, 'spec.behavior', (behavior) =>
    changeStructAt(
      changeStructAt(behavior, 'scaleUp', (rules) => fillAbsent(rules, UP)),
      'scaleDown',
      (rules) => fillAbsent(rules, DOWN),
    ),
  );
}

function* checkSpec(object: JsonObject): FieldErrors {
  const min = valueAt(object, 'spec.minReplicas');
  const max = numberAt(object, 'spec.maxReplicas');
  if (typeof min === 'number' && min < 1) {
    yield invalidField('spec.minReplicas', min, 'must be greater than or equal to 1');
  }
  if (max === 0) yield required('spec.maxReplicas', 'must be set and greater than 0');
  else if (max < 0)
    yield invalidField('spec.maxReplicas', max, 'must be greater than or equal to 1');
  if (typeof min === 'number' && max < min) {
    yield invalidField('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`');
  }
  for (const name of ['kind', 'name'] as const) {
    const field = `spec.scaleTargetRef.${name}`;
    const value = textAt(object, field);
    if (value === '') yield required(field);
    else yield* invalidFor(field, value, checkPathSegment(value));
  }
}
