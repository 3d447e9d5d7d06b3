/** Defines the kind StorageClass: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { textAt } from '../../objects/field-path.ts';
import { withDefaultMark } from '../networking/ingress-class.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { validateOneOf, validateRequired } from '../required-fields.ts';
import type { FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { readFlag } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';

const DEFAULT_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

export const storageClasses = plainKind('storage.k8s.io/v1', {
  kind: 'StorageClass',
  resource: 'storageclasses',
  shortNames: ['sc'],
  rules: {
    applyDefaults: (object) =>
      fillAbsent(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
    validate: (object) => [...checkClass(object)],
    validateUpdate: (object, old) => [
      ...validateUnchanged(object, old, [
        'parameters',
        'provisioner',
        'reclaimPolicy',
        'volumeBindingMode',
      ]),
    ],
  },
  columns: [
    { ...NAME, cell: (object) => withDefaultMark(object, DEFAULT_ANNOTATION) },
    textColumn('Provisioner', 'Who makes the volumes.', (object) => textAt(object, 'provisioner')),
    textColumn('ReclaimPolicy', 'What becomes of a volume without a claim.', (object) =>
      textAt(object, 'reclaimPolicy'),
    ),
    textColumn('VolumeBindingMode', 'When a volume is found for a claim.', (object) =>
      textAt(object, 'volumeBindingMode'),
    ),
    textColumn('AllowVolumeExpansion', 'Whether volumes can grow.', (object) =>
      readFlag(object['allowVolumeExpansion']),
    ),
    AGE,
  ],
});

function* checkClass(object: JsonObject): FieldErrors {
  yield* validateRequired(object, ['provisioner']);
  const provisioner = textAt(object, 'provisioner').toLowerCase();
  if (provisioner !== '') yield* validateQualifiedName(provisioner, 'provisioner');
  yield* validateOneOf(object, 'reclaimPolicy', RECLAIM_POLICIES);
  yield* validateOneOf(object, 'volumeBindingMode', BINDING_MODES);
}
