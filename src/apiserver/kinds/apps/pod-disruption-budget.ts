/** Defines the kind PodDisruptionBudget: its validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { integerColumn, textColumn } from '../../objects/columns.ts';
import { numberAt, structAt, valueAt } from '../../objects/field-path.ts';
import { validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts';
import { startWithoutStatus } from '../lifecycle.ts';
import { validateNotBelowZero } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateOneOf } from '../required-fields.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { isGiven, readText, type Value } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

export const podDisruptionBudgets = plainKind('policy/v1', {
  kind: 'PodDisruptionBudget',
  resource: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  subresources: [statusSubresource('PodDisruptionBudget')],
  rules: {
    versionRequired: true,
    prepareForCreate: startWithoutStatus,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object) => [...checkSpec(object)],
    validateStatusUpdate: (object) => [
      ...validateNotBelowZero(
        object,
        COUNTS.map((name) => `status.${name}`),
      ),
    ],
  },
  columns: [
    NAME,
    textColumn('Min Available', 'How many pods must stay, or which share.', (object) =>
      printAmount(valueAt(object, 'spec.minAvailable')),
    ),
    textColumn('Max Unavailable', 'How many pods may be away, or which share.', (object) =>
      printAmount(valueAt(object, 'spec.maxUnavailable')),
    ),
    integerColumn('Allowed Disruptions', 'How many pods may be taken away now.', (object) =>
      numberAt(object, 'status.disruptionsAllowed'),
    ),
    AGE,
  ],
});

function* checkSpec(object: JsonObject): FieldErrors {
  const spec = structAt(object, 'spec');
  const { minAvailable, maxUnavailable } = spec;
  if (isGiven(minAvailable) && isGiven(maxUnavailable)) {
    yield invalidField('spec', spec, 'minAvailable and maxUnavailable cannot be both set');
  }
  yield* validateIntOrPercent(minAvailable, 'spec.minAvailable');
  yield* validateAtMostAll(minAvailable, 'spec.minAvailable');
  yield* validateIntOrPercent(maxUnavailable, 'spec.maxUnavailable');
  yield* validateAtMostAll(maxUnavailable, 'spec.maxUnavailable');
  yield* validateLabelSelector(spec['selector'], 'spec.selector');
  yield* validateOneOf(object, 'spec.unhealthyPodEvictionPolicy', POLICIES);
}

function printAmount(value: Value): string {
  if (typeof value === 'number') return String(value);
  return readText(value) || 'N/A';
}
