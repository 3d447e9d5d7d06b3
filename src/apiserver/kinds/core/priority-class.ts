/** Defines the kind PriorityClass: its defaults, validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { nameOf } from '../../objects/metadata.ts';
import { booleanColumn, integerColumn, textColumn } from '../../objects/columns.ts';
import { numberAt, textAt } from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { validateOneOf } from '../required-fields.ts';
import { forbiddenField, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { readFlag } from '../../../api/validation/json-reading.ts';

const USER_MAX = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);
const POLICIES = ['PreemptLowerPriority', 'Never'];

export const priorityClasses = plainKind('scheduling.k8s.io/v1', {
  kind: 'PriorityClass',
  resource: 'priorityclasses',
  shortNames: ['pc'],
  rules: {
    applyDefaults: (object) => fillAbsent(object, { preemptionPolicy: 'PreemptLowerPriority' }),
    prepareForCreate: startGenerations,
    isNewGeneration: () => false,
    validate: (object) => [...checkClass(object)],
    validateUpdate: (object, old) => [
      ...(numberAt(object, 'value') === numberAt(old, 'value')
        ? []
        : [forbiddenField('value', 'may not be changed in an update.')]),
      ...validateUnchanged(object, old, ['preemptionPolicy']),
    ],
    refuseDeletion: (object) =>
      SYSTEM_CLASSES.has(nameOf(object))
        ? 'this is a system priority class and cannot be deleted'
        : undefined,
  },
  columns: [
    NAME,
    integerColumn('Value', 'The higher, the sooner.', (object) => numberAt(object, 'value')),
    booleanColumn('Global-Default', 'Whether pods without a class get it.', (object) =>
      readFlag(object['globalDefault']),
    ),
    AGE,
    textColumn('PreemptionPolicy', 'Whether its pods push others aside.', (object) =>
      textAt(object, 'preemptionPolicy'),
    ),
  ],
});

function* checkClass(object: JsonObject): FieldErrors {
  const [name, value] = [nameOf(object), numberAt(object, 'value')];
  if (name.startsWith(SYSTEM_PREFIX)) {
    const fault = faultOfSystemClass(object);
    const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
    if (fault !== undefined) yield forbiddenField('metadata.name', `${detail}. error: ${fault}`);
  } else if (value > USER_MAX) {
    yield forbiddenField(
      'value',
      `maximum allowed value of a user defined priority is ${USER_MAX}`,
    );
  }
  yield* validateOneOf(object, 'preemptionPolicy', POLICIES);
}

function faultOfSystemClass(object: JsonObject): string | undefined {
  const name = nameOf(object);
  const value = SYSTEM_CLASSES.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (numberAt(object, 'value') !== value) return `value of ${name} PriorityClass must be ${value}`;
  return readFlag(object['globalDefault'])
    ? `globalDefault of ${name} PriorityClass must be false`
    : undefined;
}
