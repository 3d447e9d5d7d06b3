/** Defines the kind PersistentVolume: its defaults, validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { structOf } from '../../../api/schema/schema.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn, wide } from '../../objects/columns.ts';
import { changeStructAt, structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withStatus } from '../lifecycle.ts';
import { IMMUTABLE } from '../number-rules.ts';
import { printClass, printGiven, printModes, printPhase } from './persistent-volume-claim.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { defaultSource } from '../../../api/pod-validation/defaults/volume-defaults.ts';
import {
  forbiddenField,
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, fillEmpty } from '../../../api/validation/json-changes.ts';
import { isGiven, readEntries, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { printAmount, readAmount, validatePositive } from '../../../api/validation/quantities.ts';

const SOURCES = structOf('core/v1.PersistentVolumeSource').fields.map(({ name }) => name);
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const VOLUME_MODES = ['Block', 'Filesystem'];

export const persistentVolumes = plainKind('v1', {
  kind: 'PersistentVolume',
  resource: 'persistentvolumes',
  shortNames: ['pv'],
  subresources: [statusSubresource('PersistentVolume')],
  rules: {
    applyDefaults: (object) =>
      changeStructAt(changeStructAt(object, 'spec', defaultSpec), 'status', (status) =>
        fillEmpty(status, { phase: 'Pending' }),
      ),
    prepareForCreate: (object) => withStatus(object, { phase: 'Pending' }),
    validate: (object) => [...checkSpec(structAt(object, 'spec'))],
    validateUpdate: (object, old) => [
      ...checkSpec(structAt(object, 'spec')),
      ...checkUpdate(structAt(object, 'spec'), structAt(old, 'spec')),
    ],
  },
  columns: [
    NAME,
    textColumn('Capacity', 'How large it is.', (object) =>
      printAmount(valueAt(object, 'spec.capacity.storage')),
    ),
    textColumn('Access Modes', 'How it may be mounted.', (object) =>
      printModes(valueAt(object, 'spec.accessModes')),
    ),
    textColumn('Reclaim Policy', 'What becomes of it when its claim is gone.', (object) =>
      textAt(object, 'spec.persistentVolumeReclaimPolicy'),
    ),
    textColumn('Status', 'Whether it is free, bound or released.', printPhase),
    textColumn('Claim', 'Whose it is.', printClaim),
    textColumn('StorageClass', 'Which kind of storage it is.', printClass),
    textColumn('VolumeAttributesClass', 'How it performs.', (object) =>
      printGiven(valueAt(object, 'spec.volumeAttributesClassName')),
    ),
    textColumn('Reason', 'Why its status is what it is.', (object) =>
      textAt(object, 'status.reason'),
    ),
    AGE,
    wide(
      textColumn('VolumeMode', 'Whether it is a file system.', (object) =>
        printGiven(valueAt(object, 'spec.volumeMode')),
      ),
    ),
  ],
});

function defaultSpec(spec: JsonObject): JsonObject {
  const filled = fillEmpty(spec, { persistentVolumeReclaimPolicy: 'Retain' });
  return defaultSource(fillAbsent(filled, { volumeMode: 'Filesystem' }));
}

function* checkSpec(spec: JsonObject): FieldErrors {
  yield* checkModes(readTexts(spec['accessModes']));
  const capacity = readEntries(spec['capacity']);
  if (capacity.length === 0) yield required('spec.capacity');
  if (capacity.length !== 1 || capacity[0]?.[0] !== 'storage') {
    yield unsupported('spec.capacity', spec['capacity'] ?? null, ['storage']);
  }
  for (const [name, amount] of capacity) {
    yield* validatePositive(readAmount(amount), `spec.capacity[${name}]`);
  }
  const policy = readText(spec['persistentVolumeReclaimPolicy']);
  if (!RECLAIM_POLICIES.includes(policy)) {
    yield unsupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES);
  }
  const given = SOURCES.filter((name) => isGiven(spec[name]));
  if (given.length === 0) yield required('spec', 'must specify a volume type');
  for (const name of given.slice(1)) {
    yield forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type');
  }
  const mode = readText(spec['volumeMode']);
  if (!VOLUME_MODES.includes(mode)) yield unsupported('spec.volumeMode', mode, VOLUME_MODES);
}

function* checkModes(modes: readonly string[]): FieldErrors {
  const field = 'spec.accessModes';
  if (modes.length === 0) yield required(field);
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) yield unsupported(field, mode, ACCESS_MODES);
  }
  const isShared = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (!modes.includes('ReadWriteOncePod') || !isShared) return;
  yield forbiddenField(field, 'may not use ReadWriteOncePod with other access modes');
}

function* checkUpdate(spec: JsonObject, old: JsonObject): FieldErrors {
  const isSame = SOURCES.every((name) => jsonEqual(spec[name] ?? null, old[name] ?? null));
  if (!isSame) {
    const detail = 'spec.persistentvolumesource is immutable after creation';
    yield forbiddenField('spec.persistentvolumesource', detail);
  }
  if (spec['volumeMode'] !== old['volumeMode']) {
    yield invalidField('volumeMode', spec['volumeMode'] ?? null, IMMUTABLE);
  }
}

function printClaim(object: JsonObject): string {
  const claim = valueAt(object, 'spec.claimRef');
  if (!isGiven(claim)) return '';
  return `${textAt(object, 'spec.claimRef.namespace')}/${textAt(object, 'spec.claimRef.name')}`;
}
