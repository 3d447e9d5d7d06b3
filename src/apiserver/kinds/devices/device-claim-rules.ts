/** Defaults and validates device requests, in ResourceClaims and in ResourceClaimTemplates. */
import { checkLabelValue } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { changeStructAt, objectsAt, textAt } from '../../objects/field-path.ts';
import {
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObject, changeObjects, fillEmpty } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readNumber,
  readObject,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { validateDnsLabel, validateQualifiedName } from '../../../api/validation/names.ts';
import { validateDistinctItems, validateItems } from './bounded-lists.ts';
import {
  validateClassName,
  validateFullAttributeName,
  validateRequestReference,
  type RequestNames,
} from './device-names.ts';
import { SETTINGS_MAX, validateSelectors, validateSettings } from './device-settings.ts';

const REQUESTS_MAX = 32;
const ALTERNATIVES_MAX = 8;
const CONSTRAINTS_MAX = 32;
const MODES = ['All', 'ExactCount'];
const OPERATORS = ['Equal', 'Exists'];
export const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

/** A request is for one device, unless it names a count or all. */
export function defaultDeviceClaim(spec: JsonObject): JsonObject {
  return changeStructAt(spec, 'devices', (devices) =>
    changeObjects(devices, 'requests', (request) =>
      changeObjects(
        changeObject(request, 'exactly', defaultRequest),
        'firstAvailable',
        defaultRequest,
      ),
    ),
  );
}

export function* validateDeviceClaim(devices: JsonObject, path: string): FieldErrors {
  const names = requestNamesOf(devices);
  yield* validateDistinctItems(
    objectsAt(devices, 'requests'),
    REQUESTS_MAX,
    `${path}.requests`,
    nameOf,
    validateRequest,
  );
  yield* validateItems(
    objectsAt(devices, 'constraints'),
    CONSTRAINTS_MAX,
    `${path}.constraints`,
    (constraint, field) => validateConstraint(constraint, field, names),
  );
  yield* validateItems(
    objectsAt(devices, 'config'),
    SETTINGS_MAX,
    `${path}.config`,
    function* (settings, field) {
      yield* validateReferences(settings, field, names);
      yield* validateSettings(settings, field);
    },
  );
}

export function requestNamesOf(devices: JsonObject): RequestNames {
  return new Map(
    objectsAt(devices, 'requests').map((request) => [
      nameOf(request),
      new Set(objectsAt(request, 'firstAvailable').map(nameOf)),
    ]),
  );
}

function defaultRequest(request: JsonObject): JsonObject {
  const moded = fillEmpty(request, { allocationMode: 'ExactCount' });
  const counted = moded['allocationMode'] === 'ExactCount' ? fillEmpty(moded, { count: 1 }) : moded;
  return changeObjects(counted, 'tolerations', (one) => fillEmpty(one, { operator: 'Equal' }));
}

function* validateRequest(request: JsonObject, path: string): FieldErrors {
  yield* validateDnsLabel(nameOf(request), `${path}.name`);
  const alternatives = objectsAt(request, 'firstAvailable');
  const exactly = readObject(request['exactly']);
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly && alternatives.length > 0) {
    yield invalidField(path, null, `${detail}, but multiple fields are set`);
  } else if (exactly) yield* validateWish(exactly, `${path}.exactly`);
  else if (alternatives.length === 0) yield required(path, detail);
  else {
    yield* validateDistinctItems(
      alternatives,
      ALTERNATIVES_MAX,
      `${path}.firstAvailable`,
      nameOf,
      function* (alternative, field) {
        yield* validateDnsLabel(nameOf(alternative), `${field}.name`);
        yield* validateWish(alternative, field);
      },
    );
  }
}

function* validateWish(wish: JsonObject, path: string): FieldErrors {
  yield* validateClassName(textAt(wish, 'deviceClassName'), `${path}.deviceClassName`);
  yield* validateSelectors(wish['selectors'], `${path}.selectors`);
  yield* validateCount(wish, path);
  for (const [index, toleration] of objectsAt(wish, 'tolerations').entries()) {
    yield* validateToleration(toleration, `${path}.tolerations[${index}]`);
  }
}

function* validateCount(wish: JsonObject, path: string): FieldErrors {
  const [mode, count] = [textAt(wish, 'allocationMode'), readNumber(wish['count'])];
  if (!MODES.includes(mode)) yield unsupported(`${path}.allocationMode`, mode, MODES);
  else if (mode === 'All' && count !== 0) {
    yield invalidField(
      `${path}.count`,
      count,
      "must not be specified when allocationMode is 'All'",
    );
  } else if (mode === 'ExactCount' && count <= 0) {
    yield invalidField(`${path}.count`, count, 'must be greater than zero');
  }
}

function* validateToleration(toleration: JsonObject, path: string): FieldErrors {
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) =>
    readText(toleration[name]),
  );
  if (key) yield* validateQualifiedName(key, `${path}.key`);
  yield* requireOneOf(`${path}.operator`, operator ?? '', OPERATORS);
  if (operator === 'Exists' && value) {
    yield invalidField(`${path}.value`, value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') {
    yield* invalidFor(`${path}.value`, value, checkLabelValue(value ?? ''));
  }
  if (effect && !EFFECTS.includes(effect)) yield unsupported(`${path}.effect`, effect, EFFECTS);
}

function* validateConstraint(
  constraint: JsonObject,
  path: string,
  names: RequestNames,
): FieldErrors {
  yield* validateReferences(constraint, path, names);
  const { matchAttribute, distinctAttribute } = constraint;
  if (isGiven(matchAttribute)) {
    yield* validateFullAttributeName(readText(matchAttribute), `${path}.matchAttribute`);
  } else if (isGiven(distinctAttribute)) {
    yield* validateFullAttributeName(readText(distinctAttribute), `${path}.distinctAttribute`);
  } else {
    yield required(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
  }
}

function* validateReferences(part: JsonObject, path: string, names: RequestNames): FieldErrors {
  yield* validateDistinctItems(
    readTexts(part['requests']),
    REQUESTS_MAX,
    `${path}.requests`,
    (name) => name,
    (name, field) => validateRequestReference(name, field, names),
  );
}

function nameOf(one: JsonObject): string {
  return readText(one['name']);
}
