/**
 * Defines the kind ResourceSlice: the devices that a driver offers, and the nodes from which they can be
 * used.
 */
import { checkLabelValue } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import {
  changeStructAt,
  numberAt,
  objectsAt,
  structAt,
  textAt,
  valueAt,
} from '../../objects/field-path.ts';
import { startGenerations } from '../lifecycle.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  tooLong,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObjects, withField, withoutField } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readEntries,
  readFlag,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../api/validation/json-reading.ts';
import {
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
} from '../../../api/validation/names.ts';
import { validateDistinctItems, validateItems } from './bounded-lists.ts';
import { EFFECTS } from './device-claim-rules.ts';
import { validateAttributeName, validateDriverName, validatePoolName } from './device-names.ts';

const DEVICES_MAX = 128;
const ADVANCED_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;
const TRAITS_MAX = 32;
const TAINTS_MAX = 16;
const TEXT_BYTES_MAX = 64;
const WHERE = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const SINGLE_VALUES = ['bool', 'int', 'string', 'version'];
/** Fields of features that are off by default. */
const LIST_VALUES = ['bools', 'ints', 'strings', 'versions'];
const NODE_RESOURCES = 'nodeAllocatableResourceMappings';
const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

export const resourceSlices = plainKind('resource.k8s.io/v1', {
  kind: 'ResourceSlice',
  resource: 'resourceslices',
  rules: {
    applyDefaults: (object) => changeStructAt(object, 'spec', withoutDisabled),
    prepareForCreate: startGenerations,
    validate: (object) => [...checkSpec(object)],
    validateUpdate: (object, old) => [...checkSpec(object, old)],
    warnings: (object) => {
      const driver = textAt(object, 'spec.driver');
      if (driver === driver.toLowerCase()) return [];
      const quoted = JSON.stringify(driver);
      return [
        `spec.driver: driver names should be lowercase; ${quoted} contains uppercase characters`,
      ];
    },
    selectableFields: (object) => ({
      'spec.nodeName': textAt(object, 'spec.nodeName'),
      'spec.driver': textAt(object, 'spec.driver'),
    }),
  },
  columns: [
    NAME,
    textColumn('Node', 'The node with the devices.', (object) => textAt(object, 'spec.nodeName')),
    textColumn('Driver', 'Who gives them away.', (object) => textAt(object, 'spec.driver')),
    textColumn('Pool', 'The pool to which they belong.', (object) =>
      textAt(object, 'spec.pool.name'),
    ),
    AGE,
  ],
});

function withoutDisabled(spec: JsonObject): JsonObject {
  return changeObjects(spec, 'devices', (device) => {
    const plain = withoutField(device, NODE_RESOURCES);
    const attributes = readEntries(plain['attributes']);
    const hasLists = attributes.some(([, value]) =>
      LIST_VALUES.some((name) => isGiven(readStruct(value)[name])),
    );
    if (!hasLists) return plain;
    const changed = attributes.map(([name, value]): [string, JsonObject] => [
      name,
      LIST_VALUES.reduce(withoutField, readStruct(value)),
    ]);
    return withField(plain, 'attributes', Object.fromEntries(changed));
  });
}

function* checkSpec(object: JsonObject, old?: JsonObject): FieldErrors {
  yield* validateDriverName(textAt(object, 'spec.driver'), 'spec.driver');
  yield* checkPool(object);
  if (old) {
    yield* validateUnchanged(object, old, ['spec.pool.name', 'spec.driver', 'spec.nodeName']);
  }
  const spec = structAt(object, 'spec');
  yield* checkNodes(spec);
  const devices = readObjects(spec['devices']);
  if (isGiven(spec['sharedCounters']) && isGiven(spec['devices'])) {
    yield invalidField('spec', '', 'only one of `sharedCounters` or `devices` is allowed');
  }
  const isAdvanced = devices.some(
    (device) => isGiven(device['taints']) || isGiven(device['consumesCounters']),
  );
  const devicesMax = isAdvanced ? ADVANCED_DEVICES_MAX : DEVICES_MAX;
  const isPerDevice = readFlag(spec['perDeviceNodeSelection']);
  yield* validateDistinctItems(devices, devicesMax, 'spec.devices', nameOf, (device, field) =>
    checkDevice(device, field, isPerDevice),
  );
  yield* validateDistinctItems(
    readObjects(spec['sharedCounters']),
    COUNTER_SETS_MAX,
    'spec.sharedCounters',
    nameOf,
    checkCounters,
  );
}

function* checkPool(object: JsonObject): FieldErrors {
  yield* validatePoolName(textAt(object, 'spec.pool.name'), 'spec.pool.name');
  const [count, generation] = ['resourceSliceCount', 'generation'].map((name) =>
    numberAt(object, `spec.pool.${name}`),
  );
  if ((count ?? 0) <= 0) {
    yield invalidField('spec.pool.resourceSliceCount', count, 'must be greater than zero');
  }
  if ((generation ?? 0) < 0) {
    yield invalidField('spec.pool.generation', generation, 'must be greater than or equal to zero');
  }
}

/** Devices are usable from one node, from some nodes, from all nodes, or each from its own. */
function* checkNodes(spec: JsonObject): FieldErrors {
  const given = WHERE.filter((name) => isGiven(spec[name]));
  for (const name of given) yield* checkPlace(spec, name);
  const chosen = given.filter((name) => spec[name] !== false && spec[name] !== '');
  const quoted = (names: readonly string[]): string =>
    names.map((name) => `\`${name}\``).join(', ');
  const detail = `exactly one of ${quoted(WHERE)} is required`;
  if (chosen.length === 0) yield required('spec', detail);
  if (chosen.length > 1) {
    yield invalidField('spec', `{${quoted(chosen)}}`, `${detail}, but multiple fields are set`);
  }
}

function* checkPlace(spec: JsonObject, name: (typeof WHERE)[number]): FieldErrors {
  const [field, value] = [`spec.${name}`, spec[name]];
  if (name === 'nodeName') {
    if (value !== '') yield* validateDnsSubdomain(readText(value), field);
    else yield invalidField(field, value, 'must be either unset or set to a non-empty string');
  } else if (name === 'nodeSelector') {
    const terms = valueAt(spec, 'nodeSelector.nodeSelectorTerms');
    if (readObjects(terms).length === 1) return;
    yield invalidField(
      `${field}.nodeSelectorTerms`,
      terms ?? null,
      'must have exactly one node selector term',
    );
  } else if (value === false)
    yield invalidField(field, value, 'must be either unset or set to true');
}

function* checkDevice(device: JsonObject, path: string, isPerDevice: boolean): FieldErrors {
  yield* validateDnsLabel(nameOf(device), `${path}.name`);
  const [attributes, capacities] = [
    readEntries(device['attributes']),
    readEntries(device['capacity']),
  ];
  const count = attributes.length + capacities.length;
  if (count > TRAITS_MAX) {
    const detail = `the total number of attributes and capacities must not exceed ${TRAITS_MAX}`;
    yield invalidField(path, count, detail);
  }
  for (const [name, attribute] of attributes) {
    yield* validateAttributeName(name, `${path}.attributes`);
    yield* checkAttribute(readStruct(attribute), `${path}.attributes[${name}]`);
  }
  for (const [name, capacity] of capacities) {
    yield* validateAttributeName(name, `${path}.capacity`);
    const isPoliced = readObject(readStruct(capacity)['requestPolicy']);
    if (!isPoliced || readFlag(device['allowMultipleAllocations'])) continue;
    const field = `${path}.capacity[${name}].requestPolicy`;
    yield forbiddenField(field, 'allowMultipleAllocations must be true');
  }
  yield* validateItems(objectsAt(device, 'taints'), TAINTS_MAX, `${path}.taints`, checkTaint);
  if (!isPerDevice && WHERE.some((name) => isGiven(device[name]))) {
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set ' +
      'to true in the ResourceSlice spec';
    yield invalidField(path, null, detail);
  }
}

function* checkAttribute(attribute: JsonObject, path: string): FieldErrors {
  const { string, version } = attribute;
  if (isGiven(string)) yield* checkLength(readText(string), `${path}.string`);
  if (isGiven(version)) {
    const text = readText(version);
    if (!SEMVER.test(text)) {
      const detail = 'must be a string compatible with semver.org spec 2.0.0';
      yield invalidField(`${path}.version`, text, detail);
    }
    yield* checkLength(text, `${path}.version`);
  }
  const given = SINGLE_VALUES.filter((name) => isGiven(attribute[name]));
  if (given.length === 1) return;
  const shown = given.length === 0 ? '' : attribute;
  yield invalidField(path, shown, 'exactly one value must be specified');
}

function* checkLength(text: string, field: string): FieldErrors {
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) yield tooLong(field, TEXT_BYTES_MAX);
}

function* checkTaint(taint: JsonObject, path: string): FieldErrors {
  const [key, value, effect] = ['key', 'value', 'effect'].map((name) => readText(taint[name]));
  yield* validateQualifiedName(key ?? '', `${path}.key`);
  if (value) yield* invalidFor(`${path}.value`, value, checkLabelValue(value));
  yield* requireOneOf(`${path}.effect`, effect ?? '', EFFECTS);
}

function* checkCounters(set: JsonObject, path: string): FieldErrors {
  if (nameOf(set) === '') yield required(`${path}.name`);
  else yield* validateDnsLabel(nameOf(set), `${path}.name`);
  const counters = readEntries(set['counters']);
  if (counters.length === 0) yield required(`${path}.counters`);
  for (const [name] of counters) yield* validateDnsLabel(name, `${path}.counters`);
}

function nameOf(one: JsonObject): string {
  return readText(one['name']);
}
