/** Leases: who holds something, and until when. The kubelet's heartbeat is one. */
import type { JsonObject } from '../../lib/json.ts';
import { textColumn } from './columns.ts';
import { changeStructAt, structAt, textAt } from './field-path.ts';
import { validateNotBelowZero } from './number-rules.ts';
import { AGE, NAME, plainKind } from './plain-kind.ts';
import { invalid, type Complaints } from './validation/complaint.ts';
import { withoutField } from './validation/json-changes.ts';

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

/** Fields of an election that servers hold among leases; it is off unless somebody turns it on. */
function withoutElection(object: JsonObject): JsonObject {
  return changeStructAt(object, 'spec', (spec) =>
    withoutField(withoutField(spec, 'strategy'), 'preferredHolder'),
  );
}

function* checkSpec(object: JsonObject): Complaints {
  const duration = structAt(object, 'spec')['leaseDurationSeconds'];
  if (typeof duration === 'number' && duration <= 0) {
    yield invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  }
  yield* validateNotBelowZero(object, ['spec.leaseTransitions']);
}
