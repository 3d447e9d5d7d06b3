/** Validates topology spread constraints. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readEntries,
  readNumber,
  readObject,
  readObjects,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { validateQualifiedName } from '../../validation/names.ts';
import { validateLabelKeys } from './label-keys.ts';
import type { SpecOptions } from '../spec-options.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSIONS = ['Honor', 'Ignore'];

export function* validateTopologySpread(
  constraints: Value,
  path: string,
  options: SpecOptions,
): FieldErrors {
  const all = readObjects(constraints);
  for (const [index, constraint] of all.entries()) {
    const at = `${path}[${index}]`;
    yield* validateBasics(constraint, at);
    const others = all.slice(index + 1);
    if (others.some((other) => isSamePair(constraint, other))) {
      const { topologyKey, whenUnsatisfiable } = constraint;
      const pair = `{${readText(topologyKey)}, ${readText(whenUnsatisfiable)}}`;
      yield duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair);
    }
    yield* validateMinDomains(constraint, `${at}.minDomains`);
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      const policy = readText(constraint[name]);
      if (!isGiven(constraint[name]) || INCLUSIONS.includes(policy)) continue;
      yield unsupported(`${at}.${name}`, policy, INCLUSIONS);
    }
    if (options.allowsBadSpreadKeys) yield* validateOldKeys(constraint, `${at}.matchLabelKeys`);
    else yield* validateLabelKeys({ ...constraint, mismatchLabelKeys: [] }, at);
    if (!options.allowsBadSpreadSelector) {
      yield* validateLabelSelector(constraint['labelSelector'], `${at}.labelSelector`);
    }
  }
}

function* validateBasics(constraint: JsonObject, path: string): FieldErrors {
  const maxSkew = readNumber(constraint['maxSkew']);
  const action = readText(constraint['whenUnsatisfiable']);
  if (maxSkew <= 0) yield invalidField(`${path}.maxSkew`, maxSkew, 'must be greater than zero');
  if (readText(constraint['topologyKey']) === '') {
    yield required(`${path}.topologyKey`, 'can not be empty');
  }
  if (!ACTIONS.includes(action)) yield unsupported(`${path}.whenUnsatisfiable`, action, ACTIONS);
}

function* validateMinDomains(constraint: JsonObject, field: string): FieldErrors {
  if (!isGiven(constraint['minDomains'])) return;
  const count = readNumber(constraint['minDomains']);
  const action = readText(constraint['whenUnsatisfiable']);
  if (count <= 0) yield invalidField(field, count, 'must be greater than zero');
  if (action === 'DoNotSchedule') return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  yield invalidField(field, count, detail);
}

/** The rule from before the server added the keys of matchLabelKeys to the selector itself. */
function* validateOldKeys(constraint: JsonObject, path: string): FieldErrors {
  const keys = readTexts(constraint['matchLabelKeys']);
  if (keys.length === 0) return;
  const selector = readObject(constraint['labelSelector']);
  if (!selector) yield forbiddenField(path, 'must not be specified when labelSelector is not set');
  const given = new Set([
    ...readEntries(selector?.['matchLabels']).map(([key]) => key),
    ...readObjects(selector?.['matchExpressions']).map(({ key }) => readText(key)),
  ]);
  for (const [index, key] of keys.entries()) {
    yield* validateQualifiedName(key, `${path}[${index}]`);
    if (!given.has(key)) continue;
    yield invalidField(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector');
  }
}

function isSamePair(a: JsonObject, b: JsonObject): boolean {
  return ['topologyKey', 'whenUnsatisfiable'].every(
    (name) => readText(a[name]) === readText(b[name]),
  );
}
