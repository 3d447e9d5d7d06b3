/**
 * Defines the kinds CSIDriver, CSINode and CSIStorageCapacity: storage drivers, the nodes on which they run,
 * and their free capacity.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { booleanColumn, integerColumn, textColumn } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { validateOneOf, validateRequired } from '../required-fields.ts';
import {
  duplicate,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent, withField } from '../../../api/validation/json-changes.ts';
import { isGiven, readFlag, readText, readTexts } from '../../../api/validation/json-reading.ts';
import {
  printAmount,
  readAmount,
  validateNotNegative,
} from '../../../api/validation/quantities.ts';

const STORAGE = 'storage.k8s.io/v1';
const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLES = ['Ephemeral', 'Persistent'];

const flag = (name: string, description: string, field: string) =>
  booleanColumn(name, description, (object) => readFlag(valueAt(object, `spec.${field}`)));

export const csiDrivers = plainKind(STORAGE, {
  kind: 'CSIDriver',
  resource: 'csidrivers',
  rules: {
    versionRequired: true,
    applyDefaults: (object) => changeStructAt(object, 'spec', defaultDriver),
    validate: (object) => [...checkDriver(object)],
    validateUpdate: (object, old) => [
      ...checkDriver(object),
      // kube-apiserver's error misspells the field.
      ...[...validateUnchanged(object, old, ['spec.attachRequired'])].map((error) => ({
        ...error,
        field: 'spec.attachedRequired',
      })),
      ...validateUnchanged(object, old, ['spec.volumeLifecycleModes']),
    ],
  },
  columns: [
    NAME,
    flag('AttachRequired', 'Whether volumes are attached first.', 'attachRequired'),
    flag(
      'PodInfoOnMount',
      'Whether the driver is given information about the pod at a mount.',
      'podInfoOnMount',
    ),
    flag('StorageCapacity', 'Whether it says how much is left.', 'storageCapacity'),
    textColumn('TokenRequests', 'For whom it wants tokens.', (object) => {
      if (!isGiven(valueAt(object, 'spec.tokenRequests'))) return '<unset>';
      return objectsAt(object, 'spec.tokenRequests')
        .map((one) => readText(one['audience']))
        .join(',');
    }),
    flag(
      'RequiresRepublish',
      'Whether it wants to be called again and again.',
      'requiresRepublish',
    ),
    textColumn('Modes', 'Which lives its volumes can have.', (object) => {
      return readTexts(valueAt(object, 'spec.volumeLifecycleModes')).join(',') || '<none>';
    }),
    AGE,
  ],
});

export const csiNodes = plainKind(STORAGE, {
  kind: 'CSINode',
  resource: 'csinodes',
  rules: {
    versionRequired: true,
    validate: (object) => [...checkNodeDrivers(object)],
    validateUpdate: (object) => [...checkNodeDrivers(object)],
  },
  columns: [
    NAME,
    integerColumn(
      'Drivers',
      'How many drivers run there.',
      (object) => objectsAt(object, 'spec.drivers').length,
    ),
    AGE,
  ],
});

export const csiStorageCapacities = plainKind(STORAGE, {
  kind: 'CSIStorageCapacity',
  resource: 'csistoragecapacities',
  rules: {
    versionRequired: true,
    validate: (object) => [...checkCapacity(object)],
    validateUpdate: (object, old) => [
      ...checkCapacity(object),
      ...validateUnchanged(object, old, ['nodeTopology', 'storageClassName']),
    ],
  },
  columns: [
    NAME,
    textColumn('StorageClassName', 'Of which class.', (object) =>
      textAt(object, 'storageClassName'),
    ),
    textColumn('Capacity', 'How much is left.', (object) => {
      return isGiven(object['capacity']) ? printAmount(object['capacity']) : '<unset>';
    }),
  ],
});

function defaultDriver(spec: JsonObject): JsonObject {
  const filled = fillAbsent(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
  if (readTexts(filled['volumeLifecycleModes']).length > 0) return filled;
  return withField(filled, 'volumeLifecycleModes', ['Persistent']);
}

function* checkDriver(object: JsonObject): FieldErrors {
  yield* validateOneOf(object, 'spec.fsGroupPolicy', GROUP_POLICIES);
  for (const [index, mode] of readTexts(valueAt(object, 'spec.volumeLifecycleModes')).entries()) {
    if (LIFECYCLES.includes(mode)) continue;
    yield unsupported(`spec.volumeLifecycleModes[${index}]`, mode, LIFECYCLES);
  }
}

function* checkNodeDrivers(object: JsonObject): FieldErrors {
  const names = new Set<string>();
  for (const [index, driver] of objectsAt(object, 'spec.drivers').entries()) {
    const path = `spec.drivers[${index}]`;
    const name = readText(driver['name']);
    if (name === '') yield required(`${path}.name`);
    if (readText(driver['nodeID']) === '') yield required(`${path}.nodeID`);
    if (names.has(name)) yield duplicate(`${path}.name`, name);
    names.add(name);
  }
}

function* checkCapacity(object: JsonObject): FieldErrors {
  yield* validateRequired(object, ['storageClassName']);
  for (const name of ['capacity', 'maximumVolumeSize'] as const) {
    if (isGiven(object[name])) yield* validateNotNegative(readAmount(object[name]), name);
  }
}
