/** Defines the kinds ResourceClaim and ResourceClaimTemplate: their defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import { keepSpec, withoutStatus } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateAnnotations, validateLabels } from '../../../api/validation/labels.ts';
import type { FieldErrors } from '../../../api/validation/field-errors.ts';
import { isGiven } from '../../../api/validation/json-reading.ts';
import { validateClaimStatus, withoutFreed } from './claim-status.ts';
import { defaultDeviceClaim, validateDeviceClaim } from './device-claim-rules.ts';

export const resourceClaims = plainKind('resource.k8s.io/v1', {
  kind: 'ResourceClaim',
  resource: 'resourceclaims',
  subresources: [statusSubresource('ResourceClaim')],
  rules: {
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultDeviceClaim),
    prepareForCreate: withoutStatus,
    validate: (object) => [
      ...validateDeviceClaim(structAt(object, 'spec.devices'), 'spec.devices'),
    ],
    validateUpdate: (object, old) => [...validateUnchanged(object, old, ['spec'])],
    prepareForStatusUpdate: (object, old) => withoutFreed(keepSpec(object, old), old),
    validateStatusUpdate: (object, old) => [...validateClaimStatus(object, old)],
  },
  columns: [NAME, textColumn('State', 'Whether it has got its devices.', printState), AGE],
});

export const resourceClaimTemplates = plainKind('resource.k8s.io/v1', {
  kind: 'ResourceClaimTemplate',
  resource: 'resourceclaimtemplates',
  rules: {
    applyDefaults: (object) => changeStructAt(object, 'spec.spec', defaultDeviceClaim),
    validate: (object) => [...checkTemplate(object)],
    validateUpdate: (object, old) => [
      ...checkTemplate(object),
      ...validateUnchanged(object, old, ['spec']),
    ],
  },
});

function* checkTemplate(object: JsonObject): FieldErrors {
  const { annotations, labels } = structAt(object, 'spec.metadata');
  yield* validateAnnotations(annotations, 'spec.metadata.annotations');
  yield* validateLabels(labels, 'spec.metadata.labels');
  yield* validateDeviceClaim(structAt(object, 'spec.spec.devices'), 'spec.spec.devices');
}

function printState(object: JsonObject): string {
  const isDeleted = metadataOf(object)['deletionTimestamp'] !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (!isGiven(valueAt(object, 'status.allocation'))) {
    return [...states, ...(isDeleted ? [] : ['pending'])].join(',');
  }
  const isReserved = objectsAt(object, 'status.reservedFor').length > 0;
  return [...states, 'allocated', ...(isReserved ? ['reserved'] : [])].join(',');
}
