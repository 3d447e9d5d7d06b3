/** Defines the kind PersistentVolumeClaim: its defaults, validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { compareQuantities } from '../../../api/values/quantity.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { textColumn, wide } from '../../objects/columns.ts';
import { changeStructAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withStatus } from '../lifecycle.ts';
import { IMMUTABLE } from '../number-rules.ts';
import { defaultClaimSpec } from './persistent-volume-claim-defaults.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { validateClaimTemplate } from '../../../api/pod-validation/volumes/claim-template.ts';
import {
  forbiddenField,
  invalidField,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillEmpty, withFieldOf } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readText,
  readTexts,
  readTextMap,
  type Value,
} from '../../../api/validation/json-reading.ts';
import { printAmount, readAmount } from '../../../api/validation/quantities.ts';

const REQUEST = 'spec.resources.requests.storage';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const SHORT_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export const persistentVolumeClaims = plainKind('v1', {
  kind: 'PersistentVolumeClaim',
  resource: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  subresources: [statusSubresource('PersistentVolumeClaim')],
  rules: {
    applyDefaults: (object) =>
      changeStructAt(changeStructAt(object, 'spec', defaultClaimSpec), 'status', (status) =>
        fillEmpty(status, { phase: 'Pending' }),
      ),
    prepareForCreate: (object) => withStatus(object, { phase: 'Pending' }),
    validate: checkSpec,
    validateUpdate: (object, old) => [...checkSpec(object), ...checkUpdate(object, old)],
  },
  columns: [
    NAME,
    textColumn('Status', 'Whether it has found a volume.', printPhase),
    textColumn('Volume', 'The volume that it has.', (object) => textAt(object, 'spec.volumeName')),
    textColumn('Capacity', 'How large that is.', (object) =>
      isBoundTo(object) ? printAmount(valueAt(object, 'status.capacity.storage')) : '',
    ),
    textColumn('Access Modes', 'How it may be mounted.', (object) =>
      isBoundTo(object) ? printModes(valueAt(object, 'status.accessModes')) : '',
    ),
    textColumn('StorageClass', 'Which kind of storage it wants.', printClass),
    textColumn('VolumeAttributesClass', 'How that storage should perform.', (object) =>
      printGiven(valueAt(object, 'spec.volumeAttributesClassName')),
    ),
    AGE,
    wide(
      textColumn('VolumeMode', 'Whether it is a file system.', (object) =>
        printGiven(valueAt(object, 'spec.volumeMode')),
      ),
    ),
  ],
});

function checkSpec(object: JsonObject): readonly FieldError[] {
  const spec = structAt(object, 'spec');
  // The claim template has the same spec one level deeper, so the paths of its errors begin with a dot.
  return [...validateClaimTemplate({ spec }, '')].map((error) => ({
    ...error,
    field: error.field.replace(/^\./, ''),
  }));
}

/** A claim is immutable, except that a bound claim may request more storage. */
function* checkUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  const [spec, before] = [structAt(object, 'spec'), structAt(old, 'spec')];
  const isBound = textAt(object, 'status.phase') === 'Bound';
  let allowed =
    readText(before['volumeName']) === '' ? withFieldOf(before, 'volumeName', spec) : before;
  if (!isGiven(before['storageClassName']))
    allowed = withFieldOf(allowed, 'storageClassName', spec);
  if (isBound) {
    allowed = withFieldOf(allowed, 'volumeAttributesClassName', spec);
    allowed = changeStructAt(allowed, 'resources.requests', (requests) =>
      withFieldOf(requests, 'storage', structAt(spec, 'resources.requests')),
    );
  }
  if (!jsonEqual(spec, allowed)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName ' +
      'for bound claims';
    yield forbiddenField('spec', detail);
  }
  const [size, oldSize] = [readAmount(valueAt(object, REQUEST)), readAmount(valueAt(old, REQUEST))];
  const held = readAmount(valueAt(old, 'status.capacity.storage'));
  if (compareQuantities(size, oldSize) < 0 && compareQuantities(size, held) <= 0) {
    yield forbiddenField(REQUEST, 'field can not be less than status.capacity');
  }
  if (spec['volumeMode'] !== before['volumeMode']) {
    yield invalidField('volumeMode', spec['volumeMode'] ?? null, IMMUTABLE);
  }
}

function isBoundTo(object: JsonObject): boolean {
  return textAt(object, 'spec.volumeName') !== '';
}

export function printPhase(object: JsonObject): string {
  const isDeleted = metadataOf(object)['deletionTimestamp'] !== undefined;
  return isDeleted ? 'Terminating' : textAt(object, 'status.phase');
}

export function printModes(modes: Value): string {
  const given = new Set(readTexts(modes));
  return SHORT_MODES.flatMap(([mode, short]) => (given.has(mode) ? [short] : [])).join(',');
}

/** The class may also be in the deprecated annotation. */
export function printClass(object: JsonObject): string {
  const annotated = readTextMap(metadataOf(object)['annotations']).get(OLD_CLASS);
  return annotated ?? textAt(object, 'spec.storageClassName');
}

export function printGiven(value: Value): string {
  return isGiven(value) ? readText(value) : '<unset>';
}
