/** Defines the kind Lease: its validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeStructAt, structAt, textAt } from '../../objects/field-path.ts';
import { validateNotBelowZero } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { invalidField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { withoutField } from '../../../api/validation/json-changes.ts';

export const leases = plainKind('coordination.k8s.io/v1', {
  kind: 'Lease',
  resource: 'leases',
  rules: {
    versionRequired: true,
    createsOnUpdate: true,
    prepareForCreate: withoutElection,
    prepareForUpdate: withoutElection,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object) => [...checkSpec(object)],
  },
  columns: [
    NAME,
    textColumn('Holder', 'Who holds it.', (object) => textAt(object, 'spec.holderIdentity')),
    AGE,
  ],
});

/** Drops the fields of coordinated leader election, whose feature gate is off by default. */
function withoutElection(object: JsonObject): JsonObject {
  return changeStructAt(object, 'spec', (spec) =>
    withoutField(withoutField(spec, 'strategy'), 'preferredHolder'),
  );
}

function* checkSpec(object: JsonObject): FieldErrors {
  const duration = structAt(object, 'spec')['leaseDurationSeconds'];
  if (typeof duration === 'number' && duration <= 0) {
    yield invalidField('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  }
  yield* validateNotBelowZero(object, ['spec.leaseTransitions']);
}
